import type { ClaimedAppend } from '@refledger/contracts';
import type { Decider } from '../decider.js';

/** The data of a claim's event: the subject of the claim, and the append that it holds. */
export interface ClaimData {
  readonly append: ClaimedAppend;
}

/** A claim as folded from its events. The last one counts: it replaced those before it. */
export type ClaimState<Data extends ClaimData> =
  { readonly kind: 'free' } | { readonly kind: 'taken'; readonly data: Data };

export interface TakeClaim<Data extends ClaimData> {
  readonly type: 'take';
  readonly data: Data;
}

export type ClaimDecider<Data extends ClaimData, Event> = Decider<
  TakeClaim<Data>,
  ClaimState<Data>,
  Event
>;

/**
 * Makes the decider of one kind of claim from the event that takes it
 * (docs/adr/0004-claims-without-transactions.md). It replaces any claim except one for the same
 * append: a command that takes a claim has already judged the existing one. A decision is valid
 * only at the revision on which it was made: it is appended with that revision as the expected one,
 * and made again after a conflict.
 */
export const claimDecider = <Data extends ClaimData, Event extends { readonly data: Data }>(
  eventOf: (data: Data) => Event,
): ClaimDecider<Data, Event> => ({
  initial: { kind: 'free' },
  decide: ({ data }, state) =>
    state.kind === 'taken' && isSameAppend(state.data.append, data.append) ? [] : [eventOf(data)],
  evolve: (_state, { data }) => ({ kind: 'taken', data }),
});

/**
 * Whether two appends are the same. An event id belongs to one append only, so it is enough to
 * compare the first ones.
 */
const isSameAppend = ({ events: [a] }: ClaimedAppend, { events: [b] }: ClaimedAppend): boolean =>
  a?.id === b?.id;
