import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StreamName } from '@refledger/contracts';
import { openDatabase, transaction, type Database } from '@refledger/sqlite';
import { eventLogFormat } from './event-log.format.js';
import { StreamIndex } from './stream-index.js';
import { streamKey } from './stream-key.js';
import { TailMerge } from './tail-merge.js';

/** The first two share a key. */
const names: readonly StreamName[] = [
  'refledger.a-654416',
  'refledger.a-1948280',
  'refledger.a-1',
  'refledger.b-1',
];

let directory: string;
let file: string;
let open: Database[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-index-'));
  file = join(directory, 'events.db');
  open = [];
});
afterEach(() => {
  for (const db of open) db.close();
  rmSync(directory, { recursive: true });
});

const connect = (readOnly: boolean): Database => {
  const db = openDatabase(file, { format: eventLogFormat, readOnly, synchronous: 'normal' });
  open.push(db);
  return db;
};
const sizes = { chunk: 3, maxTailLength: 8 };

/** Writes as the writer does, with a short tail. */
const newWriter = () => {
  const db = connect(false);
  const index = new StreamIndex(db, sizes);
  const merge = new TailMerge(db, index, 5);
  const insert = db.prepare(
    "INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (?, ?, 'id', 'type', '{}', '{}')",
  );
  return {
    append: (appended: readonly StreamName[], atMost: number): void =>
      transaction(db, () => {
        index.catchUp();
        for (const stream of appended) {
          const revision = index.lastRevision(stream) + 1;
          index.add(Number(insert.run(stream, revision).lastInsertRowid), stream, revision);
        }
        merge.step(atMost);
      }),
    finish: (): void =>
      transaction(db, () => {
        index.catchUp();
        merge.finish();
      }),
    index,
    count: (): unknown[] =>
      db
        .prepare(
          'SELECT (SELECT count(*) FROM stream_events) AS entries, (SELECT through FROM indexed) AS through',
        )
        .all(),
  };
};

const expectToKnow = (index: StreamIndex, all: readonly StreamName[]): void => {
  index.catchUp();
  for (const stream of names) {
    const positions = all.flatMap((each, n) => (each === stream ? [n + 1] : []));
    expect(index.lastRevision(stream)).toBe(positions.length - 1);
    for (const [from, to, limit] of [
      [0, 1_000, 1_000],
      [2, 4, 1_000],
      [1, 1_000, 2],
      [positions.length, 1_000, 9],
    ] as const) {
      const expected = positions
        .flatMap((position, revision) =>
          revision >= from && revision <= to ? [[position, stream, revision]] : [],
        )
        .slice(0, limit);
      expect(index.events(stream, from, to, limit).map((row) => row.slice(0, 3))).toEqual(expected);
    }
  }
};

it('has two streams with the same key to test with', () => {
  expect(streamKey(present(names[0]))).toBe(streamKey(present(names[1])));
});

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        append: fc.array(fc.nat(3), { maxLength: 6 }),
        atMost: fc.integer({ min: 1, max: 4 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ readerIndex: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.constantFrom('a new writer', 'a new reader', 'finish') },
  ),
  { minLength: 1, maxLength: 60 },
);

it('knows every stream, through any connection, in any state of the table', () => {
  fc.assert(
    fc.property(steps, (all) => {
      file = join(directory, `${Math.random()}.db`);
      let writer = newWriter();
      const readers = [0, 1, 2].map(() => new StreamIndex(connect(true), sizes));
      const appended: StreamName[] = [];
      for (const step of all) {
        if (step === 'a new writer') writer = newWriter();
        else if (step === 'a new reader') readers[0] = new StreamIndex(connect(true), sizes);
        else if (step === 'finish') writer.finish();
        else if ('readerIndex' in step) expectToKnow(present(readers[step.readerIndex]), appended);
        else {
          const streams = step.append.map((n) => present(names[n]));
          writer.append(streams, step.atMost);
          appended.push(...streams);
          expectToKnow(writer.index, appended);
        }
      }
      for (const reader of readers) expectToKnow(reader, appended);
      writer.finish();
      expect(writer.count()).toEqual([{ entries: appended.length, through: appended.length }]);
      for (const reader of readers) expectToKnow(reader, appended);
      for (const db of open.splice(0)) db.close();
    }),
    { numRuns: 60 },
  );
});

it('keeps the tail as short as possible', () => {
  const writer = newWriter();
  const reader = new StreamIndex(connect(true), sizes);
  for (let n = 0; n < 200; n += 1) {
    writer.append([present(names[n % 4]), present(names[(n + 1) % 4])], 4);
    expect(writer.index.tailLength).toBeLessThan(12);
    if (n % 5 === 0) reader.catchUp();
    expect(reader.tailLength).toBeLessThanOrEqual(24);
  }
});
