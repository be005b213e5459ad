import {
  isObject,
  publicAggregates,
  type OwnStreamKind,
  type RecordedEvent,
} from '@refledger/contracts';
import { emptyFolds } from './aggregates.js';
import { changesBetween, listedFields, type EventChanges, type Fields } from './changes-between.js';

/**
 * Returns what an event changed in the record of its stream. The first event changes the record
 * from nothing. No other event is needed, since each one holds the fields before and after it.
 */
export const eventChanges = (kind: OwnStreamKind, event: RecordedEvent): EventChanges => {
  const { before, after, reason }: Fields = event.data;
  const [earlier, later] = isObject(before)
    ? [before, isObject(after) ? after : {}]
    : [{}, { ...emptyFolds[kind].evolve(event).record }];
  return {
    reason: isReason(reason) ? reason : reasonGiven(earlier, later),
    changes: changesBetween(earlier, later, listedFields(publicAggregates[kind].record)),
  };
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
