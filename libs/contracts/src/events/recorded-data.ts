import { aggregates } from '../aggregates/aggregates.js';
import type { StreamName } from '../ids/stream-name.js';
import { isObject } from '../is-object.js';
import type { AggregateSpec, CompletedEvent } from '../shared/aggregate.js';
import { completionOf, omissionOf } from './completion.js';
import type { DomainEvent } from './index.js';

/**
 * Returns the data of an event as it is recorded: without the members that `completeData` supplies
 * (docs/adr/0049-what-a-recorded-event-omits.md).
 */
export const recordedData = (
  { type, data }: DomainEvent,
  metadata: CompletedEvent['metadata'],
): object => {
  const form = formOf(type);
  const { idMember, derived } = form;
  const whole = form.complete({ ...data });
  const { before, after, ...rest } = whole;
  const supplied = derived?.({ type, data: whole, metadata });
  const id = idMember === undefined ? {} : { [idMember]: whole[idMember] };
  const about = unlike(rest, { ...supplied?.data, ...id });
  // of a change, only what changed, even to a default
  if (isObject(before) && isObject(after))
    return { ...form.omit({ ...about, before }), after: unlike(after, before) };
  if (isObject(after)) return form.omit({ ...about, after: unlike(after, supplied?.after ?? {}) });
  return form.omit(before === undefined ? about : { ...about, before });
};

/** An event as it was recorded. */
interface EventAsRecorded extends Pick<CompletedEvent, 'type' | 'metadata'> {
  readonly stream: StreamName;
  readonly data: unknown;
}

/**
 * Returns the data of an event with the members that it was recorded without: the id in the name of
 * its stream, the members of `after` that are as `before`, those that have their default, and those
 * that follow from the rest of the event. Checks nothing.
 */
export const completeData = ({ type, stream, data, metadata }: EventAsRecorded): unknown => {
  if (!isObject(data)) return data;
  const { idMember, complete, derived } = formOf(type);
  const named = idMember === undefined ? data : { [idMember]: idIn(stream), ...data };
  const whole = complete(afterChange(named));
  if (derived === undefined) return whole;
  const supplied = derived({ type, data: whole, metadata });
  const { after } = whole;
  return isObject(after) && supplied.after !== undefined
    ? { ...withAbsent(whole, supplied.data), after: withAbsent(after, supplied.after) }
    : withAbsent(whole, supplied.data);
};

type Members = Readonly<Record<string, unknown>>;

const afterChange = (data: Members): Members => {
  const { before, after } = data;
  return isObject(before) && isObject(after) ? { ...data, after: { ...before, ...after } } : data;
};

/** Copies nothing if no member is absent, since every event that is read comes here. */
const withAbsent = (members: Members, supplied: Members): Members => {
  let result: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(supplied))
    if (members[name] === undefined) (result ??= { ...members })[name] = value;
  return result ?? members;
};

const idIn = (stream: StreamName): string => stream.slice(stream.indexOf('-') + 1);

/** The members that `other` lacks, or has with another value. */
const unlike = (members: Members, other: Members): Members => {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members))
    if (!isSame(value, other[name])) result[name] = value;
  return result;
};

/** The order within a value counts, so that it is read exactly as it was written. */
const isSame = (value: unknown, other: unknown): boolean =>
  value === other ||
  (typeof value === 'object' &&
    typeof other === 'object' &&
    JSON.stringify(value) === JSON.stringify(other));

interface Form extends Pick<AggregateSpec, 'idMember' | 'derived'> {
  readonly complete: (data: Members) => Members;
  readonly omit: (data: Members) => Members;
}

const formOf = (type: string): Form => forms.get(type) ?? plainForm;

const identity = (data: Members): Members => data;
const plainForm: Form = { complete: identity, omit: identity };
const specs: readonly AggregateSpec[] = Object.values(aggregates);
const forms: ReadonlyMap<string, Form> = new Map(
  specs.flatMap(({ events, idMember, derived }) =>
    Object.entries(events).map(([type, schema]): [string, Form] => [
      type,
      {
        ...(idMember !== undefined && { idMember }),
        ...(derived && { derived }),
        complete: completionOf(schema) ?? identity,
        omit: omissionOf(schema) ?? identity,
      },
    ]),
  ),
);
