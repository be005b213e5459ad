import type { LoggedEvent } from '@refledger/event-log';
import { isSameLeaf, leavesOf } from './leaves.js';

/** What an event says about one field. `before` is missing where there was nothing, `after` where there is nothing any more. */
export interface Change {
  readonly field: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * What an event changed: the fields that differ between before and after, or everything it says when it is the first of its record.
 * `earlier` is what an event before it said, for kinds that only carry what holds from them on.
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
  // what the record is about stands in its first event already
  return carried === undefined ? [...differences(new Map(), valuesOf(about)), ...changes] : changes;
};

/** What later events of the same record are compared with; undefined when this event doesn't say. */
export const fieldsOf = ({ data }: Pick<LoggedEvent, 'data'>): unknown =>
  isRecord(data) ? data['fields'] : undefined;

const differences = (
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): readonly Change[] => {
  const fields = new Set([...before.keys(), ...after.keys()]);
  return [...fields]
    .filter((field) => !isSameLeaf(before.get(field), after.get(field)))
    .map((field) => ({
      field,
      ...(before.has(field) && { before: before.get(field) }),
      ...(after.has(field) && { after: after.get(field) }),
    }));
};

/** Empty objects say nothing here. */
const valuesOf = (value: unknown): ReadonlyMap<string, unknown> =>
  value === undefined
    ? new Map()
    : new Map([...leavesOf(value)].filter(([, leaf]) => JSON.stringify(leaf) !== '{}'));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
