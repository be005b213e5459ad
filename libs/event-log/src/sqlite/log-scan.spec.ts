import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StreamName } from '@refledger/contracts';
import { openDatabase, transaction, type Database } from '@refledger/sqlite';
import { eventLogFormat } from './event-log.format.js';
import { scanLog } from './log-scan.js';
import { scanStatements } from './scan-statements.js';
import { streamKey } from './stream-key.js';

const total = 45_000;
/** The index covers the log up to here; the rest is the tail. */
const indexedThrough = 42_000;
/** Streams of a broad kind, with streams of a narrow kind in between. */
const streamOf = (position: number): StreamName =>
  position % 3_000 === 7 ? `refledger.narrow-${position}` : `refledger.broad-${position % 977}`;

let directory: string;
let db: Database;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-scan-'));
  db = openDatabase(join(directory, 'events.db'), {
    format: eventLogFormat,
    synchronous: 'normal',
  });
  const insert = db.prepare(
    "INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (?, ?, 'id', 'type', '{}', '{}')",
  );
  const entry = db.prepare(
    'INSERT INTO stream_events (stream_key, revision, position) VALUES (?, ?, ?)',
  );
  transaction(db, () => {
    for (let position = 1; position <= total; position += 1)
      insert.run(streamOf(position), position);
    // somewhat more than `through` promises
    for (let position = 1; position <= indexedThrough + 500; position += 1)
      entry.run(streamKey(streamOf(position)), position, position);
    db.exec(`UPDATE indexed SET through = ${indexedThrough}`);
  });
});
afterAll(() => {
  db.close();
  rmSync(directory, { recursive: true, force: true });
});

const walk = (
  prefix: string,
  { after = 0, batchSize = 500, end = total, page = 65_536, of = db } = {},
) => {
  const scan = scanLog(scanStatements(of), prefix, { page });
  const positions: number[] = [];
  let steps = 0;
  for (let entry = after; entry < end; steps += 1) {
    const { rows, through } = scan.next(entry, end, batchSize);
    if (through <= entry) throw new Error(`the scan makes no progress at ${entry}`);
    positions.push(...rows.map(([position]) => position));
    entry = through;
  }
  return { positions, steps };
};

const walkBack = (
  prefix: string,
  { end = total, batchSize = 500, page = 65_536, of = db } = {},
) => {
  const scan = scanLog(scanStatements(of), prefix, { page });
  const positions: number[] = [];
  let steps = 0;
  for (let entry = end; entry > 0; steps += 1) {
    const { rows, through } = scan.previous(entry, batchSize);
    if (through >= entry) throw new Error(`the scan makes no progress at ${entry}`);
    positions.push(...rows.map(([position]) => position));
    entry = through;
  }
  return { positions, steps };
};

it.each([
  'refledger.broad-',
  'refledger.narrow-',
  'refledger.broad-97',
  'refledger.narrow-7',
  'refledger.none-',
])('finds exactly the streams with prefix %s, in order, from any position', (prefix) => {
  for (const options of [
    {},
    { after: 1 },
    { after: total - 100 },
    { after: 20_007, batchSize: 3 },
    { after: 30_000, end: 40_000 },
    { page: 1 },
    { page: 4, batchSize: 3 },
    { page: 15 },
  ]) {
    const expected: number[] = [];
    for (let position = (options.after ?? 0) + 1; position <= (options.end ?? total); position += 1)
      if (streamOf(position).startsWith(prefix)) expected.push(position);
    expect(walk(prefix, options).positions).toEqual(expected);
  }
});

it.each([
  'refledger.',
  'refledger.broad-',
  'refledger.narrow-',
  'refledger.broad-97',
  'refledger.narrow-7',
  'refledger.none-',
])('finds the same for %s backward', (prefix) => {
  for (const options of [
    {},
    { end: 1 },
    { end: 100 },
    { end: 30_007, batchSize: 3 },
    { end: indexedThrough + 7_000, batchSize: 7 },
    { page: 1 },
    { page: 4, batchSize: 3 },
    { page: 14 },
  ]) {
    const expected: number[] = [];
    for (let position = Math.min(options.end ?? total, total); position > 0; position -= 1)
      if (streamOf(position).startsWith(prefix)) expected.push(position);
    expect(walkBack(prefix, options).positions).toEqual(expected);
  }
});

it('uses the index for a narrow prefix, and scans by position for a broad one', () => {
  expect(walk('refledger.narrow-').steps).toBe(2);
  expect(walk('refledger.none-').steps).toBe(2);
  expect(walkBack('refledger.narrow-').steps).toBe(2);
  expect(walk('refledger.broad-').steps).toBeGreaterThanOrEqual(total / 500);
});

it('finds all events through the index, page by page, and skips the rest', () => {
  const many = 25_000;
  const others = 100_000;
  const large = openDatabase(join(directory, 'many.db'), {
    format: eventLogFormat,
    synchronous: 'normal',
  });
  const insert = large.prepare(
    "INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (?, ?, 'id', 'type', '{}', '{}')",
  );
  const entry = large.prepare(
    'INSERT INTO stream_events (stream_key, revision, position) VALUES (?, ?, ?)',
  );
  // keys before everything else, and a few after it
  const name = (position: number): StreamName =>
    position <= many || position > many + others
      ? `refledger.keys-${position % 1_013}`
      : `refledger.other-${position % 5_003}`;
  const last = many + others + 10;
  transaction(large, () => {
    for (let position = 1; position <= last; position += 1) insert.run(name(position), position);
    const entries = Array.from(
      { length: last },
      (_, index) => [streamKey(name(index + 1)), index + 1, index + 1] as const,
    );
    for (const values of entries.sort(([a], [b]) => a - b)) entry.run(...values);
    large.exec(`UPDATE indexed SET through = ${last}`);
  });
  const expected = [
    ...Array.from({ length: many }, (_, index) => index + 1),
    ...Array.from({ length: 10 }, (_, index) => many + others + index + 1),
  ];
  const ahead = walk('refledger.keys-', { end: last, page: 10_000, of: large });
  expect(ahead.positions).toEqual(expected);
  const back = walkBack('refledger.keys-', { end: last, page: 10_000, of: large });
  expect(back.positions).toEqual(expected.toReversed());
  // one step per batch of 500, plus a few at the ends of pages; reading by position would take 20
  // more to skip the other streams
  for (const { steps } of [ahead, back]) expect(steps).toBeLessThan(many / 500 + 6);
  large.close();
});

it('scans a limited part of the log per step', () => {
  const { rows, through } = scanLog(scanStatements(db), 'refledger.broad-').next(0, total, 100_000);
  expect(through).toBe(5_000);
  expect(rows.length).toBeLessThan(5_000);
  expect(scanLog(scanStatements(db), 'refledger.broad-').previous(total, 100_000).through).toBe(
    total - 5_000,
  );
});

it('does not ask the index about an indexed part that one step covers', () => {
  const { through } = scanLog(scanStatements(db), 'refledger.narrow-').next(38_000, total, 500);
  expect(through).toBe(43_000);
});

it('limits a batch in bytes', () => {
  const large = openDatabase(join(directory, 'large.db'), {
    format: eventLogFormat,
    synchronous: 'normal',
  });
  const insert = large.prepare(
    "INSERT INTO events (stream, revision, id, type, data, metadata) VALUES ('refledger.large', ?, 'id', 'type', ?, '{}')",
  );
  transaction(large, () => {
    for (let revision = 0; revision < 200; revision += 1) insert.run(revision, 'x'.repeat(100_000));
  });
  const { rows, through } = scanLog(scanStatements(large), 'refledger.').next(0, 200, 500);
  expect(rows.length).toBeLessThan(200);
  expect(through).toBe(rows.length);
  expect(scanLog(scanStatements(large), 'refledger.').previous(200, 500).rows).toHaveLength(
    rows.length,
  );
  large.close();
});
