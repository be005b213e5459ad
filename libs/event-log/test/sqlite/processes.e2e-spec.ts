import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDirectoryLocked } from '@refledger/sqlite';
import { present } from '@refledger/testing/present';
import {
  batchesOf,
  eventsOf,
  faultOf,
  followUntil,
  newEvent,
  newEvents,
  newStream,
} from '../../src/conformance/under-test.js';
import type { EventLog, LoggedEvent } from '../../src/index.js';
import { openSqliteEventLog } from '../../src/sqlite/index.js';
import { Child } from './children.js';

let directory: string;
let file: string;
let children: Child[];
let logs: EventLog[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-processes-'));
  file = join(directory, 'events.db');
  children = [];
  logs = [];
});
afterEach(async () => {
  for (const log of logs) await log.close();
  for (const child of children) await child.kill();
  rmSync(directory, { recursive: true, force: true });
});

const start = (script: string, options?: { maxFileKiB: number }): Child => {
  const child = new Child(script, options);
  children.push(child);
  return child;
};
const open = async (mode: 'read' | 'write', path = file) => {
  const log = await openSqliteEventLog({ file: path, mode });
  logs.push(log);
  return log;
};
const allOf = async (log: EventLog): Promise<LoggedEvent[]> =>
  (await batchesOf(log.readAll())).flatMap(({ events }) => events);

/**
 * A script that locks the directory, appends to many streams at the same time without end, and
 * reports each append once it is acknowledged.
 */
const load = (path: string): string => `
  lockDirectory(${JSON.stringify(directory)});
  const log = await openSqliteEventLog({ file: ${JSON.stringify(path)}, mode: 'write' });
  say({ opened: log.id });
  const writer = async (n) => {
    const stream = 'refledger.load-' + n + '-' + randomUUID();
    for (let revision = -1; ; revision += 2) {
      const events = [event({ n, text: 'x'.repeat((100 * n + 7 * (revision + 1)) % 2000) }), event({ n })];
      const { position } = await log.append(stream, events, revision < 0 ? 'no stream' : revision);
      say({ stream, position, revision: revision + 2, ids: events.map(({ id }) => id) });
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, n) => writer(n))).catch((error) => say({ failed: error.fault?.kind, message: error.message }));
  // an exit would drop what the pipe has not taken yet
  process.stdout.write('', () => process.exit(3));
`;
interface Acknowledged {
  readonly stream: LoggedEvent['stream'];
  readonly position: string;
  readonly revision: number;
  readonly ids: readonly [string, string];
}
const acknowledgedBy = (child: Child): Acknowledged[] =>
  child.reported.filter(
    (line): line is Acknowledged => typeof line === 'object' && line !== null && 'position' in line,
  );

/**
 * Checks the laws of a log: positions and each stream's revisions rise by one, and no stream has
 * half of a pair that was appended together.
 */
const expectConsistent = (events: readonly LoggedEvent[]): void => {
  const next = new Map<string, number>();
  for (const [n, { position, revision, stream }] of events.entries()) {
    if (position !== String(n + 1) || revision !== (next.get(stream) ?? 0))
      throw new Error(`unsound at ${position}: ${stream} ${revision}`);
    next.set(stream, revision + 1);
  }
  for (const [stream, count] of next)
    if (stream !== 'refledger.log' && count % 2 !== 0)
      throw new Error(`half an append in ${stream}`);
};

const expectAll = (acknowledged: readonly Acknowledged[], events: readonly LoggedEvent[]): void => {
  const byPosition = new Map(events.map((event) => [event.position as string, event]));
  for (const { position, stream, revision, ids } of acknowledged) {
    const event = byPosition.get(position);
    if (event?.id !== ids[1] || event.stream !== stream || event.revision !== revision)
      throw new Error(`lost: ${stream} ${revision} at ${position}`);
  }
};

it('has every acknowledged append after kills under load, and no partial one', async () => {
  const acknowledged: Acknowledged[] = [];
  let id: string | undefined;
  for (let round = 1; round <= 4; round += 1) {
    const child = start(load(file));
    await child.says(150 * round);
    await child.kill();
    acknowledged.push(...acknowledgedBy(child));
    const log = await openSqliteEventLog({ file, mode: 'write' });
    const events = await allOf(log);
    expectConsistent(events);
    expectAll(acknowledged, events);
    expect((id ??= log.id)).toBe(log.id);
    // An acknowledged append has the same result when it is repeated.
    const { stream, revision, position, ids } = present(acknowledged.at(-1));
    expect(
      await log.append(
        stream,
        ids.map((each) => newEvent({}, each)),
        revision === 1 ? 'no stream' : revision - 2,
      ),
    ).toEqual({ revision, position });
    await log.close();
  }
});

it('opens a torn write-ahead log up to its last complete commit', async () => {
  const child = start(load(file));
  await child.says(200);
  await child.kill();
  const torn = (bytes: number): string => {
    const path = join(directory, `torn-${bytes}.db`);
    copyFileSync(file, path);
    copyFileSync(`${file}-wal`, `${path}-wal`);
    truncateSync(`${path}-wal`, bytes);
    return path;
  };
  const size = statSync(`${file}-wal`).size;
  let last = Infinity;
  const lengths: number[] = [];
  for (const bytes of [
    size,
    size - 1,
    Math.floor(size * 0.8),
    Math.floor(size / 2),
    Math.floor(size / 5),
  ]) {
    const log = await open('write', torn(bytes));
    const events = await allOf(log);
    expectConsistent(events);
    expect(events.length).toBeLessThanOrEqual(last);
    last = events.length;
    lengths.push(events.length);
    expect((await log.append(newStream(), newEvents(2), 'no stream')).position).toBe(
      String(events.length + 2),
    );
  }
  expect(lengths.at(-1)).toBeLessThan(present(lengths[0]));
});

it('acknowledges nothing that the full disk did not store', async () => {
  if (process.platform === 'win32') return;
  const child = start(load(file), { maxFileKiB: 1_500 });
  expect(await child.exited).toBe(3);
  const failure = child.reported.find(
    (line) => typeof line === 'object' && line !== null && 'failed' in line,
  ) as { failed: string; message: string };
  expect(['unavailable', 'unknown_outcome']).toContain(failure.failed);
  expect(failure.message).toContain(file);
  const log = await open('write');
  const events = await allOf(log);
  expect(acknowledgedBy(child).length).toBeGreaterThan(0);
  expectConsistent(events);
  expectAll(acknowledgedBy(child), events);
});

it('can be followed by another process during writes', async () => {
  const writer = await open('write');
  const child = start(`
    const log = await openSqliteEventLog({ file: ${JSON.stringify(file)}, mode: 'read' });
    const alive = setInterval(() => undefined, 1000);
    say({ id: log.id });
    for await (const { events } of log.subscribe({ signal: new AbortController().signal })) for (const { id } of events) say(id);
  `);
  expect((await child.says(2))[0]).toEqual({ id: writer.id });
  for (let n = 0; n < 5; n += 1) {
    const event = newEvent();
    await writer.append(newStream(), [event], 'no stream');
    expect((await child.says(3 + n)).at(-1)).toBe(event.id);
  }
});

it('follows another process that writes, and cannot append itself', async () => {
  const child = start(load(file));
  await child.says(2);
  const reader = await open('read');
  await followUntil(reader, {}, ({ position }) => Number(position) > 300);
  expect(await faultOf(reader.append(newStream(), newEvents(1), 'no stream'))).toEqual({
    kind: 'unavailable',
  });
  expect(() => reader.writerPort()).toThrow('open read-only');
  await child.kill();
  // Readers continue when the writer is killed and the next one starts.
  const next = start(load(file));
  const head = Number(await reader.head());
  await next.says(2);
  await followUntil(reader, {}, ({ position }) => Number(position) > head + 100);
});

it('is locked against a second process until the first is killed', async () => {
  const first = start(load(file));
  await first.says(2);
  const second = start(
    `try { lockDirectory(${JSON.stringify(directory)}); say('locked'); } catch (error) { say(error.message); }`,
  );
  expect((await second.says(1))[0]).toContain(`in use by process ${first.pid}`);
  await first.kill();
  expect(isDirectoryLocked(directory)).toBe(false);
  await start(load(file)).says(2);
});

it('does not keep a process alive by itself, even with an open subscription', async () => {
  const child = start(`
    const log = await openSqliteEventLog({ file: ${JSON.stringify(file)}, mode: 'write' });
    await log.append('refledger.a', [event({})], 'no stream');
    void (async () => { for await (const batch of log.subscribe({ signal: new AbortController().signal })) say(batch.through); })();
  `);
  expect(await child.exited).toBe(0);
  expect(await eventsOf((await open('read')).readStream('refledger.a'))).toHaveLength(1);
});

it('finishes an append before the process ends by itself', async () => {
  const child = start(`
    const log = await openSqliteEventLog({ file: ${JSON.stringify(file)}, mode: 'write' });
    void log.append('refledger.a', [event({})], 'no stream').then(say);
  `);
  expect(await child.exited).toBe(0);
  expect(child.reported).toEqual([{ revision: 0, position: '2' }]);
});
