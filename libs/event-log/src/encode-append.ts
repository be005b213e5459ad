import type { StreamName } from '@refledger/contracts';
import { EventLogError } from './event-log-error.js';
import type { ExpectedRevision, NewEvent } from './event-log.js';

/** Maximum total size of one append in bytes, for every adapter (EventStoreDB's own limit). */
export const maxAppendBytes = 1_048_576;

/**
 * An event as it is sent and stored. Data and metadata count against `maxAppendBytes` as UTF-8
 * JSON, the type as UTF-16, as EventStoreDB counts.
 */
interface EncodedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** An append as it is sent and stored. */
export interface EncodedAppend {
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly events: readonly EncodedEvent[];
  /** The size that counts against `maxAppendBytes`. */
  readonly bytes: number;
}

/**
 * Checks and encodes an append, in the same way for every adapter. Throws a TypeError for
 * programming errors: a bad stream name, id, type or expectation, no events, or data that isn't
 * JSON. Throws `too_large` for more than 1 MiB.
 */
export const encodeAppend = (
  stream: StreamName,
  events: readonly NewEvent[],
  expected: ExpectedRevision,
): EncodedAppend => {
  requireStreamName(stream);
  if (expected !== 'no stream' && !(Number.isSafeInteger(expected) && expected >= 0))
    throw new TypeError(`not a revision: ${String(expected)}`);
  if (events.length === 0) throw new TypeError(`an append to ${stream} has no events`);
  const encoded = events.map(serialized);
  const bytes = encoded.reduce(
    (sum, { type, data, metadata }) =>
      sum + 2 * type.length + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  );
  if (bytes > maxAppendBytes) {
    throw new EventLogError(
      { kind: 'too_large', bytes, limit: maxAppendBytes },
      `an append of ${bytes} bytes to ${stream} exceeds the limit of ${maxAppendBytes}`,
    );
  }
  return { stream, expected, events: encoded, bytes };
};

/** Throws a TypeError for a name that is not valid for one of Refledger's streams. */
export const requireStreamName = (stream: string): void => {
  if (!/^refledger\.[^\p{Cc}\p{Cs}]+$/u.test(stream) || stream.length > 500)
    throw new TypeError(`not a stream name: ${JSON.stringify(stream)}`);
};

const serialized = ({ id, type, data, metadata }: NewEvent): EncodedEvent => {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
    throw new TypeError(`an event id must be a lower-case UUID, but was ${JSON.stringify(id)}`);
  if (!/^[^\p{Cc}\p{Cs}]+$/u.test(type))
    throw new TypeError(`not an event type: ${JSON.stringify(type)}`);
  return { id, type, data: encodeJson(data, type), metadata: encodeJson(metadata, type) };
};

/** Like `JSON.stringify`, whose return type hides that a value may have no JSON. */
const stringify = (value: unknown): string | undefined => JSON.stringify(value);

const encodeJson = (value: unknown, type: string): string => {
  const json = stringify(value);
  if (json === undefined) throw new TypeError(`data and metadata of ${type} must be JSON`);
  return json;
};
