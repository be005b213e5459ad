import type {
  AffiliateRecord,
  ConversionRecord,
  DomainEvent,
  EventKind,
  Recorded,
} from '@refledger/contracts';
import {
  affiliateDecider,
  conversionDecider,
  conversionRecord,
  lastAffiliateRecord,
  metaOf,
  type Decider,
} from '@refledger/domain';

/** A stream folded so far: the record as its last event left it, and how the next event changes it. */
export interface Fold {
  readonly record: AffiliateRecord | ConversionRecord | undefined;
  evolve(event: Recorded): Fold;
}

/** The fold of a stream before its first event, by a kind that stands in it. */
export const emptyFold = (kind: EventKind): Fold =>
  kind.startsWith('affiliate.') ? noAffiliate : noConversion;

const foldOf = <State, Event extends DomainEvent>(
  decider: Decider<never, State, Event>,
  recordOf: (state: State) => Fold['record'],
  state: State,
): Fold => ({
  record: recordOf(state),
  // the border of decoding: a stream holds the events of its own aggregate
  evolve: (event) =>
    foldOf(decider, recordOf, decider.evolve(state, event as unknown as Event, metaOf(event))),
});

const noAffiliate = foldOf(affiliateDecider, lastAffiliateRecord, affiliateDecider.initial);
const noConversion = foldOf(conversionDecider, conversionRecord, conversionDecider.initial);
