import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { openDatabase, type Database } from '@refledger/sqlite';
import { changes, logId, sales, stored } from '../../conformance/fixtures.js';
import type { Build, BuildChanges, ReadStore } from '../../read-store.js';
import { readModelsFormat } from '../read-store.format.js';
import { openSqliteReadStore } from '../sqlite-read-store.js';

let directory: string;
let store: ReadStore;
let other: Database;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-read-store-'));
  const file = join(directory, 'read-models.db');
  store = await openSqliteReadStore({ file, mode: 'write' });
  other = openDatabase(file, { format: readModelsFormat, synchronous: 'normal' });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await store.close();
  other.close();
  rmSync(directory, { recursive: true });
});

const newBuild = (cause: string): Promise<Build> => store.createBuild(sales, logId, cause);

/** Changes that add more documents than the calling thread saves by itself. */
const manyChanges = (build: Build): BuildChanges =>
  changes(build, 3_000, ...Array.from({ length: 3_000 }, (_, n) => stored(`sale-${n}`, n + 1)));

const filled = async (): Promise<Build> => {
  const build = await newBuild('large');
  await store.save([manyChanges(build)]);
  return build;
};

interface LongWrite {
  readonly what: string;
  readonly prepare: () => Promise<Build>;
  readonly start: (build: Build) => Promise<unknown>;
  /** Finds a row once it is done, on another connection. */
  readonly result: string;
}

const longWrites: readonly LongWrite[] = [
  {
    what: 'filling a large build',
    prepare: () => newBuild('large'),
    start: (build: Build) => store.save([manyChanges(build)]),
    result: 'SELECT 1 FROM builds WHERE position = 3000',
  },
  {
    what: 'indexing a large build',
    prepare: filled,
    start: (build: Build) => store.goLive(build),
    result:
      "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND tbl_name LIKE 'sales%' AND sql IS NOT NULL",
  },
  {
    what: 'dropping a large build',
    prepare: filled,
    start: (build: Build) => store.dropBuild(build),
    result: 'SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM builds)',
  },
];

describe.each(longWrites)('$what', ({ prepare, start, result }) => {
  it('needs nothing of the thread that asks for it', async () => {
    const build = await prepare();
    // nothing is written before this thread is blocked
    other.exec('BEGIN IMMEDIATE');
    const { done } = await posted(() => start(build));
    other.exec('ROLLBACK');

    blockUntil(() => other.prepare(result).get() !== undefined);

    await done;
  });

  it('keeps other writes waiting, however long it takes, and no reads', async () => {
    const [build, small] = [await prepare(), await newBuild('small')];
    other.exec('BEGIN IMMEDIATE');
    const { done } = await posted(() => start(build));
    // a write that tried to lock the file now would fail immediately, since its time would be over
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 60_000));

    const saved = store.save([changes(small, 1, stored('a', 1))]);
    expect(await store.load(small, 'sales', ['a'])).toEqual([]);
    other.exec('ROLLBACK');

    expect(await saved).toBe(true);
    await done;
  });
});

it('saves two large builds at the same time', async () => {
  const builds = [await newBuild('first'), await newBuild('second')];
  expect(await Promise.all(builds.map((build) => store.save([manyChanges(build)])))).toEqual([
    true,
    true,
  ]);
});

/** Starts a long write, and resolves once the bulk thread has been asked for its first step. */
const posted = async (
  start: () => Promise<unknown>,
): Promise<{ readonly done: Promise<unknown> }> => {
  // preparing documents never takes so long that it pauses
  jest.spyOn(performance, 'now').mockReturnValue(0);
  const done = start();
  await yieldToEventLoop();
  return { done };
};

/** Blocks this thread until another one has done something. */
const blockUntil = (isDone: () => boolean): void => {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (let n = 0; !isDone(); n++) {
    if (n === 6_000) throw new Error('no other thread has done it within a minute');
    Atomics.wait(nothing, 0, 0, 10);
  }
};
