import {
  mkdtempSync,
  rmSync,
  writeFileSync,
  openSync,
  writeSync,
  closeSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';
import {
  batchesOf,
  eventsOf,
  faultOf,
  followUntil,
  idsOf,
  newEvent,
  newEvents,
  newStream,
} from '../conformance/under-test.js';
import { EventLogError, isEventLogError } from '../event-log-error.js';
import type { EventLog } from '../event-log.js';
import { eventLogFormat } from './event-log.format.js';
import type { GroupStatistics } from '../open-event-log-options.js';
import { openSqliteEventLog, type SqliteEventLogOptions } from './index.js';

let directory: string;
let file: string;
let logs: EventLog[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-log-'));
  file = join(directory, 'events.db');
  logs = [];
});
afterEach(async () => {
  for (const log of logs.reverse()) await log.close();
  rmSync(directory, { recursive: true, force: true });
});

const open = async (options: Partial<SqliteEventLogOptions> = {}) => {
  const log = await openSqliteEventLog({ file, mode: 'write', ...options });
  logs.push(log);
  return log;
};
const refusal = async (options: Partial<SqliteEventLogOptions> = {}): Promise<EventLogError> => {
  const error: unknown = await open(options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof EventLogError) return error;
  throw new Error('expected to be refused', { cause: error });
};

describe('group commit', () => {
  it('shares commits among appends that wait together', async () => {
    const groups: GroupStatistics[] = [];
    const log = await open({ onGroup: (group) => groups.push(group) });
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        const stream = newStream();
        for (let n = 0; n < 5; n += 1)
          await log.append(stream, newEvents(2), n === 0 ? 'no stream' : 2 * n - 1);
      }),
    );
    expect(groups.reduce((sum, { appends }) => sum + appends, 0)).toBe(1_000);
    expect(groups.reduce((sum, { events }) => sum + events, 0)).toBe(2_000);
    expect(groups.length).toBeLessThan(100);
  });

  it('commits accepted appends before it closes, and none after', async () => {
    const log = await open();
    const accepted = Array.from({ length: 1_500 }, () =>
      log.append(newStream(), newEvents(1), 'no stream'),
    );
    const closing = log.close();
    const late = faultOf(log.append(newStream(), newEvents(1), 'no stream'));
    expect(await late).toEqual({ kind: 'unavailable' });
    await closing;
    expect(await Promise.all(accepted)).toHaveLength(1_500);
    expect(await (await open()).head()).toBe('1501');
  });

  it('commits appends that another handle sent before the owner closed', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const owner = await open();
      const other = await open({ writer: owner.writerPort() });
      const sent = other.append(newStream(), [newEvent('x'.repeat(500_000))], 'no stream');
      await new Promise(setImmediate); // the tick in which it is sent
      await owner.close();
      expect(await sent).toMatchObject({ position: String(1 + round) });
      await other.close();
    }
  });

  it('leaves no handle waiting when the handle that started the writer closes', async () => {
    const owner = await open();
    const other = await open({ writer: owner.writerPort() });
    const sent = Promise.allSettled(
      Array.from({ length: 700 }, () => other.append(newStream(), newEvents(1), 'no stream')),
    );
    await other.append(newStream(), newEvents(1), 'no stream').catch(() => undefined);
    await owner.close();
    const written = (await sent).filter(({ status }) => status === 'fulfilled').length;
    // The other handle may learn only now that the thread has ended.
    expect(['unavailable', 'unknown_outcome']).toContain(
      (await faultOf(other.append(newStream(), newEvents(1), 'no stream'))).kind,
    );
    expect(await faultOf(other.append(newStream(), newEvents(1), 'no stream'))).toEqual({
      kind: 'unavailable',
    });
    expect(Number(await other.head())).toBeGreaterThanOrEqual(written + 1);
  });

  it('rejects waiting appends when the thread crashes, and reports it', async () => {
    let crashed: (error: Error) => void;
    const crash = new Promise<Error>((resolve) => (crashed = resolve));
    const log = await open({ onCrash: (error) => crashed(error) });
    log.writerPort().postMessage([null]); // breaks the protocol, which ends the thread
    const pending = Array.from({ length: 600 }, () =>
      log.append(newStream(), newEvents(1), 'no stream'),
    );
    const outcomes = await Promise.allSettled(pending);
    const rejected = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    );
    for (const error of rejected)
      expect(isEventLogError(error, 'unknown_outcome', 'unavailable')).toBe(true);
    expect((await crash).message).toContain('null');
    expect(await faultOf(log.append(newStream(), newEvents(1), 'no stream'))).toEqual({
      kind: 'unavailable',
    });
    // appends before the crash were committed and answered
    expect(Number(await log.head())).toBeGreaterThanOrEqual(1 + outcomes.length - rejected.length);
  });
});

describe('threads of one process', () => {
  it('append through the same writer and see each other’s events immediately', async () => {
    const log = await open();
    const port = log.writerPort();
    const worker = new Worker(
      `
      const { workerData: { port, file, module } } = require('node:worker_threads');
      import(module).then(async ({ openSqliteEventLog }) => {
        const log = await openSqliteEventLog({ file, mode: 'write', writer: port });
        const metadata = { account_id: null, actor: 'thread', request_id: 'r', schema: 1, recorded_at: '2026-01-31T09:30:00.000Z' };
        for await (const { events } of log.subscribe({ prefix: 'refledger.ask-', signal: new AbortController().signal }))
          for (const { id, data } of events) {
            await log.append('refledger.answer-' + data, [{ id, type: 'thread.answered', data, metadata }], 'no stream');
            if (data === 'last') { await log.close(); process.exit(); }
          }
      });
      setInterval(() => undefined, 1000);
    `,
      {
        eval: true,
        workerData: {
          port,
          file,
          module: new URL('../../dist/sqlite/index.js', import.meta.url).href,
        },
        transferList: [port],
      },
    );
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    for (const data of ['first', 'second', 'last']) {
      const question = newEvent(data);
      const answered = followUntil(
        log,
        { after: await log.head() },
        ({ stream }) => stream === `refledger.answer-${data}`,
      );
      await log.append(newStream('ask'), [question], 'no stream');
      expect(idsOf(await answered)).toEqual([question.id, question.id]);
    }
    await ended;
    expect((await log.append(newStream(), newEvents(1), 'no stream')).revision).toBe(0);
  });

  it('hold no read transaction open while they wait or are slow, so that the write-ahead log can be checkpointed', async () => {
    const log = await open();
    await log.append(newStream(), newEvents(300), 'no stream');
    const stream = newStream();
    await log.append(stream, newEvents(1_200), 'no stream');
    const iterators = [
      log.readAll({ batchSize: 10 }),
      log.readStream(stream),
      log.subscribe({ batchSize: 10, prefix: stream, signal: new AbortController().signal }),
    ].map((each) => each[Symbol.asyncIterator]());
    for (const iterator of iterators) await iterator.next();
    const checkpointer = new DatabaseSync(file, { timeout: 1_000 });
    expect(checkpointer.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({
      busy: 0,
    });
    checkpointer.close();
    expect(statSync(`${file}-wal`).size).toBe(0);
    for (const iterator of iterators) expect((await iterator.next()).done).toBe(false);
  });
});

describe('an unusable file', () => {
  it('that is missing or empty is unavailable to readers', async () => {
    expect(await refusal({ mode: 'read' })).toMatchObject({
      fault: { kind: 'unavailable' },
      message: expect.stringContaining(`${file}: there is no event log here yet`) as unknown,
    });
    writeFileSync(file, '');
    expect((await refusal({ mode: 'read' })).fault).toEqual({ kind: 'unavailable' });
  });

  it.each(['read', 'write'] as const)(
    'from another program, or in a newer or earlier format, is unusable to %s',
    async (mode) => {
      writeFileSync(file, 'Dear reader, '.repeat(1_000));
      expect(await refusal({ mode })).toMatchObject({
        fault: { kind: 'unusable' },
        message: expect.stringContaining(file) as unknown,
      });
      rmSync(file);
      const other = new DatabaseSync(file);
      other.exec('CREATE TABLE events (theirs)');
      expect((await refusal({ mode })).message).toContain('is not a Refledger event log');
      other.exec(
        `DROP TABLE events; PRAGMA application_id = ${eventLogFormat.applicationId}; PRAGMA user_version = 99; CREATE TABLE new (x)`,
      );
      expect((await refusal({ mode })).message).toContain('newer release');
      other.exec(`PRAGMA application_id = ${eventLogFormat.earlierApplicationIds?.[0]}`);
      expect((await refusal({ mode })).message).toContain('has an earlier format');
      other.close();
    },
  );

  it('in a missing directory, or that is itself a directory, is unusable', async () => {
    expect(await refusal({ file: join(directory, 'none', 'events.db') })).toMatchObject({
      fault: { kind: 'unusable' },
      message: expect.stringContaining(join(directory, 'none', 'events.db')) as unknown,
    });
    expect((await refusal({ file: directory })).fault).toEqual({ kind: 'unusable' });
  });

  it('that is corrupt is unusable to a reader of the corrupt part, and accepts no more appends', async () => {
    const first = await open();
    const stream = newStream();
    for (let n = 0; n < 10; n += 1)
      await first.append(stream, newEvents(200), n === 0 ? 'no stream' : 200 * n - 1);
    await first.close();
    const descriptor = openSync(file, 'r+');
    const { size } = statSync(file);
    for (let at = 4096; at < size; at += 512)
      writeSync(descriptor, Buffer.alloc(512, 0xa5), 0, 512, at);
    closeSync(descriptor);
    const error = await refusal();
    expect(error).toMatchObject({
      fault: { kind: 'unusable' },
      message: expect.stringContaining(file) as unknown,
    });
  });

  it('with one corrupt event is unusable to its readers, and the error names the position', async () => {
    const log = await open();
    const { position } = await log.append(newStream(), newEvents(1), 'no stream');
    const db = new DatabaseSync(file);
    db.exec(`UPDATE events SET data = '{"half' WHERE position = ${position}`);
    db.close();
    const error: unknown = await batchesOf(log.readAll()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      fault: { kind: 'unusable' },
      message: `${file}: the event at position ${position} is corrupt`,
    });
    expect(await eventsOf(log.readStream('refledger.log'))).toHaveLength(1);
  });
});
