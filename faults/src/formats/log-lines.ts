import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog, type LoggedEvent, type NewEvent } from '@refledger/event-log';

/** An event of the log as a line of NDJSON: without its position, which differs in another log. */
export type LogLine = Omit<LoggedEvent, 'position'>;

/** Returns the history in a data directory as NDJSON, in log order. */
export const historyOf = (dataDir: string): Promise<string> =>
  withLog(dataDir, async (log) => {
    const lines: string[] = [];
    for await (const { events } of log.readAll())
      for (const { position: _position, ...line } of events)
        lines.push(`${JSON.stringify(line satisfies LogLine)}\n`);
    return lines.join('');
  });

/** The position of the last event in a data directory. */
export const headOf = (dataDir: string): Promise<string> =>
  withLog(dataDir, async (log) => (await log.head()) ?? '0');

const withLog = async <T>(dataDir: string, work: (log: EventLog) => Promise<T>): Promise<T> => {
  const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'read' });
  return work(log).finally(() => log.close());
};

/** Parses a history in NDJSON. */
export const logLinesOf = (history: string): readonly LogLine[] =>
  history
    .split('\n')
    .filter((line) => line !== '')
    // decoding boundary: `historyOf` has written these lines
    .map((line) => JSON.parse(line) as LogLine);

/** Appends the history to an empty log, each append as a whole. */
export const appendHistory = async (log: EventLog, history: string): Promise<void> => {
  let append: NewEvent[] = [];
  for (const { stream, revision, ...event } of logLinesOf(history)) {
    // each log has a first event of its own, which opening it has appended
    if (event.type === 'log.opened') continue;
    append.push(event);
    if (event.metadata.append_continues === true) continue;
    const first = revision - append.length + 1;
    await log.append(stream, append, first === 0 ? 'no stream' : first - 1);
    append = [];
  }
};
