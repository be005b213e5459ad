import type { LoggedEvent } from '@refledger/event-log';
import { isSameLeaf, leavesOf } from './leaves.js';

/**
 * An event's change to one field. `before` is absent if the field did not exist before, `after` if
 * it no longer exists.
 */
export interface Change {
  readonly field: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * The changes that an event made: the fields that differ between before and after, or all its
 * fields if it is the first event of its record. `earlier` has the fields of the record's previous
 * event, for events that carry only the new fields.
 */
export const changesOf = (
  { data }: Pick<LoggedEvent, 'data'>,
  earlier?: unknown,
): readonly Change[] => {
  const { before: carried, after, fields, ...about } = isRecord(data) ? data : { value: data };
  const before = carried ?? earlier;
  const now = after ?? fields;
  const changes =
    now === undefined && carried === undefined ? [] : differences(valuesOf(before), valuesOf(now));
  if (carried === undefined) return [...differences(new Map(), valuesOf(about)), ...changes];
  // The record's first event has shown the other fields already.
  const { reason } = about;
  return typeof reason === 'string' && changes.every(({ field }) => field !== 'reason')
    ? [...changes, { field: 'reason', after: reason }]
    : changes;
};

/**
 * The fields that later events of the same record are compared with; undefined when this event
 * carries none.
 */
export const fieldsOf = ({ data }: Pick<LoggedEvent, 'data'>): unknown =>
  isRecord(data) ? data['fields'] : undefined;

const differences = (
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): readonly Change[] => {
  const fields = new Set([...before.keys(), ...after.keys()]);
  return [...fields]
    .filter(
      (field) =>
        !isSameLeaf(before.get(field), after.get(field)) && !isFilled(field, before, after),
    )
    .map((field) => ({
      field,
      ...(before.has(field) && { before: before.get(field) }),
      ...(after.has(field) && { after: after.get(field) }),
    }));
};

/** Whether null has become an object: its values, which are shown, say so. */
const isFilled = (
  field: string,
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): boolean =>
  before.get(field) === null && [...after.keys()].some((other) => other.startsWith(`${field}.`));

/** The leaves of a value, without empty objects, which carry no information here. */
const valuesOf = (value: unknown): ReadonlyMap<string, unknown> =>
  value === undefined
    ? new Map()
    : new Map([...leavesOf(value)].filter(([, leaf]) => JSON.stringify(leaf) !== '{}'));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
