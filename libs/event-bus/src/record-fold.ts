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

/** A partly folded stream: the record after the last folded event, and the fold of the next. */
export interface Fold {
  readonly record: AffiliateRecord | ConversionRecord | undefined;
  evolve(event: Recorded): Fold;
}

/** The fold of a stream before its first event. `kind` is the type of any event in the stream. */
export const emptyFold = (kind: EventKind): Fold =>
  kind.startsWith('affiliate.') ? noAffiliate : noConversion;

const foldOf = <State, Event extends DomainEvent>(
  decider: Decider<never, State, Event>,
  recordOf: (state: State) => Fold['record'],
  state: State,
): Fold => ({
  record: recordOf(state),
  // A decoding border: a stream holds only the events of its own aggregate.
  evolve: (event) =>
    foldOf(decider, recordOf, decider.evolve(state, event as unknown as Event, metaOf(event))),
});

const noAffiliate = foldOf(affiliateDecider, lastAffiliateRecord, affiliateDecider.initial);
const noConversion = foldOf(conversionDecider, conversionRecord, conversionDecider.initial);
