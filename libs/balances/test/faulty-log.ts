import type { StreamName } from '@refledger/contracts';
import {
  EventLogError,
  type AppendResult,
  type EventLog,
  type ExpectedRevision,
  type NewEvent,
  type ReadStreamOptions,
} from '@refledger/event-log';

/** What happens at an append. After a crash, no later append gets to the log either. */
export type Fault = 'crash before it' | 'crash after it' | 'unknown, lost' | 'unknown, written';

/** Test double: a log with a fault at the nth append, from 0. */
export const faultyLog = (log: EventLog, at: number, fault: Fault): EventLog => {
  let appends = 0;
  let hasCrashed = false;
  return replacingAppend(log, async (stream, events, expected) => {
    const isNow = appends++ === at;
    if (isNow && fault === 'crash before it') hasCrashed = true;
    if (hasCrashed) throw new Error('crashed');
    if (!isNow) return log.append(stream, events, expected);
    if (fault !== 'unknown, lost') await log.append(stream, events, expected);
    if (fault === 'crash after it') {
      hasCrashed = true;
      throw new Error('crashed');
    }
    throw new EventLogError({ kind: 'unknown_outcome' }, 'the connection was lost');
  });
};

/** Test double: a log that appends at any revision, as if every expectation were right. */
export const withoutExpectation = (log: EventLog): EventLog =>
  replacingAppend(log, async (stream, events, expected) => {
    try {
      return await log.append(stream, events, expected);
    } catch (error) {
      const fault = error instanceof EventLogError ? error.fault : undefined;
      if (fault?.kind !== 'wrong_revision') throw error;
      return log.append(stream, events, fault.actual);
    }
  });

/** Test double: a log whose balances do not say which event was posted last. */
export const withoutThrough = (log: EventLog): EventLog =>
  replacing(log, {
    readStream: async function* (stream: StreamName, options: ReadStreamOptions) {
      for await (const events of log.readStream(stream, options))
        yield events.map((event) =>
          event.type.startsWith('balance.') ? { ...event, data: unsourced(event.data) } : event,
        );
    },
  });

const unsourced = (data: unknown): unknown =>
  JSON.parse(JSON.stringify(data), (key, value: unknown) => (key === 'position' ? '0' : value));

type Append = (
  stream: StreamName,
  events: readonly NewEvent[],
  expected: ExpectedRevision,
) => Promise<AppendResult>;

/** Test double: a log with a different `append`. */
export const replacingAppend = (log: EventLog, append: Append): EventLog =>
  replacing(log, { append });

/** Test double: an object with other methods. */
export const replacing = <T extends object>(
  original: T,
  methods: Readonly<Record<string, unknown>>,
): T =>
  new Proxy(original, {
    get: (target, name) => {
      const method = methods[String(name)];
      if (method !== undefined) return method;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
