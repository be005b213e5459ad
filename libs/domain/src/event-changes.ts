import {
  affiliateSchema,
  affiliateValueNames,
  isObject,
  publicAggregates,
  type AffiliateEvent,
  type AffiliateValues,
  type OwnStreamKind,
  type RecordedEvent,
} from '@refledger/contracts';
import { newAffiliateRecord } from './affiliate/affiliate.decider.js';
import { openRecord } from './affiliate/sealed-affiliate.js';
import { emptyFolds } from './aggregates.js';
import { changesBetween, listedFields, type EventChanges, type Fields } from './changes-between.js';
import { metaOf } from './decider.js';

/**
 * Returns what an event changed in the record of its stream. The first event changes the record
 * from nothing. No other event is needed, since each one holds the fields before and after it.
 */
export const eventChanges = (
  kind: Exclude<OwnStreamKind, 'affiliate'>,
  event: RecordedEvent,
): EventChanges => {
  const { before, after, reason }: Fields = event.data;
  const [earlier, later] = isObject(before)
    ? [before, isObject(after) ? after : {}]
    : [{}, { ...emptyFolds[kind].evolve(event).record }];
  return {
    reason: isReason(reason) ? reason : reasonGiven(earlier, later),
    changes: changesBetween(earlier, later, listedFields(publicAggregates[kind].record)),
  };
};

/** The personal values of an affiliate before and after an event; undefined if there were none. */
interface ValuesAround {
  readonly before: AffiliateValues | undefined;
  readonly after: AffiliateValues | undefined;
}

/** Returns what an event of an affiliate changed, with its personal values in the clear. */
export const affiliateEventChanges = (
  event: RecordedEvent<AffiliateEvent>,
  { before, after }: ValuesAround,
): EventChanges => {
  const plain = plainFields(event);
  const earlier = { ...plain.before, ...before };
  const later = {
    ...(event.type === 'affiliate.created' && after !== undefined
      ? openRecord(newAffiliateRecord(event.data, metaOf(event)), after)
      : { ...plain.after, ...after }),
  };
  return {
    reason: reasonGiven(earlier, later),
    changes: changesBetween(earlier, later, affiliateFields),
  };
};

/** Returns the same of an erased affiliate: the event says which of its personal values changed. */
export const erasedEventChanges = (event: RecordedEvent<AffiliateEvent>): EventChanges => {
  const { before, after } = plainFields(event);
  const changed = new Set<string>(changedValues(event));
  return {
    reason: null,
    changes: affiliateFields.flatMap((field) =>
      changed.has(field)
        ? [{ path: `/${field}`, before: null, after: null }]
        : changesBetween(before, after, [field]),
    ),
  };
};

const affiliateFields = listedFields(affiliateSchema);

/** The fields before and after an event that are not personal. */
const plainFields = (
  event: RecordedEvent<AffiliateEvent>,
): { readonly before: Fields; readonly after: Fields } => {
  if (event.type === 'affiliate.created')
    return { before: {}, after: { ...newAffiliateRecord(event.data, metaOf(event)) } };
  return { before: {}, after: {}, ...event.data };
};

/** The names of the personal values that an event changes. */
const changedValues = ({
  type,
  data,
}: RecordedEvent<AffiliateEvent>): readonly (keyof AffiliateValues)[] => {
  if (type === 'affiliate.created') return affiliateValueNames;
  return 'changed' in data ? data.changed : [];
};

/** Whether an event says what the reason for its change is, or that there is none. */
const isReason = (value: unknown): value is string | null =>
  value === null || typeof value === 'string';

/**
 * The reason for a change whose event holds none of its own: the one that the record got. The
 * record keeps it until another one is given, or its status changes without one.
 */
const reasonGiven = (before: Fields, after: Fields): string | null => {
  const { reason, status } = after;
  const isGiven = reason !== before['reason'] || status !== before['status'];
  return isGiven && typeof reason === 'string' ? reason : null;
};
