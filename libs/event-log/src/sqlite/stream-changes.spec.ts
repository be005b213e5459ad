import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import type { StreamName } from '@refledger/contracts';
import { openDatabase, SqliteError } from '@refledger/sqlite';
import { newEvent } from '../conformance/under-test.js';
import { encodeAppend } from '../encode-append.js';
import { eventLogFormat } from './event-log.format.js';
import { LogReader } from './log-reader.js';
import { StreamChanges } from './stream-changes.js';
import { Writer } from './writer.js';

const [a, b] = ['refledger.a', 'refledger.b'] as const;

describe('the counter of stream changes', () => {
  it('has no version during a change, and a different version after it', () => {
    const changes = new StreamChanges();
    const [ofA, ofB] = [changes.versionOf(a), changes.versionOf(b)];
    changes.whileChanging([a, a], () =>
      expect([changes.versionOf(a), changes.versionOf(b)]).toEqual([undefined, ofB]),
    );
    expect(changes.versionOf(a)).not.toBe(ofA);
    expect(changes.versionOf(a)).toBeDefined();
    expect(() =>
      changes.whileChanging([b], () => {
        throw new Error('failed');
      }),
    ).toThrow('failed');
    expect(changes.versionOf(b)).not.toBe(ofB);
  });

  it('is visible to all threads that share its memory', () => {
    const changes = new StreamChanges();
    const elsewhere = new StreamChanges(changes.memory);
    const before = elsewhere.versionOf(a);
    changes.whileChanging([a], () => expect(elsewhere.versionOf(a)).toBeUndefined());
    expect(elsewhere.versionOf(a)).not.toBe(before);
  });

  it('has no versions from a failure until the reset', () => {
    const changes = new StreamChanges();
    const before = [a, b].map((stream) => changes.versionOf(stream));
    expect(() =>
      changes.whileChangingAny(() => {
        throw new Error('failed');
      }),
    ).toThrow('failed');
    expect([changes.versionOf(a), changes.versionOf(b)]).toEqual([undefined, undefined]);
    changes.whileChangingAny(() => undefined);
    for (const [index, stream] of [a, b].entries())
      expect([undefined, before[index]]).not.toContain(changes.versionOf(stream));
  });

  it('has a version of the whole log, which every change changes', () => {
    const changes = new StreamChanges();
    const before = changes.ofAll();
    expect(before).toBeDefined();
    changes.whileChanging([a], () => expect(changes.ofAll()).toBeUndefined());
    const between = changes.ofAll();
    changes.whileChangingAny(() => expect(changes.ofAll()).toBeUndefined());
    expect(new Set([undefined, before, between, changes.ofAll()]).size).toBe(4);
  });

  it('spreads streams over its counters', () => {
    const changes = new StreamChanges();
    const names = Array.from({ length: 2_000 }, (_, n): StreamName => `refledger.affiliate-${n}`);
    const before = changes.versionOf(a);
    changes.whileChanging(
      names.filter((name) => name !== a),
      () => undefined,
    );
    expect(changes.versionOf(a)).toBe(before);
    expect(names.filter((name) => changes.versionOf(name) === 2n)).toHaveLength(2_000);
    expect(
      changes.memory.byteLength / 8 -
        new BigInt64Array(changes.memory).filter((count) => count === 0n).length,
    ).toBeGreaterThan(1_900);
  });
});

const idsOf = (log: LogReader, stream: StreamName): string =>
  log
    .ofStream(stream, 0, 1_000, 1_000)
    .rows.map(([, , , id]) => id)
    .join();

/**
 * The fate of a group's commit. `lost`: it reaches the disk but is reported as failed; `refused`:
 * it does not reach the disk; `closed`: it does not reach the disk, and the next opening of the
 * file fails once.
 */
const fates = ['good', 'lost', 'refused', 'closed'] as const;
const group = fc.record({
  fate: fc.constantFrom('good', ...fates),
  appends: fc.array(fc.record({ stream: fc.nat(3), ahead: fc.constantFrom(0, 0, 0, 1, -1) }), {
    minLength: 1,
    maxLength: 4,
  }),
});

type Group = typeof group extends fc.Arbitrary<infer Value> ? Value : never;

/** Opens a file whose commits meet their fate. Calls `instant` around each of its steps. */
const faultyOpen =
  (commit: { fate: (typeof fates)[number] }, instant: () => void): typeof openDatabase =>
  (file, options) => {
    if (commit.fate === 'closed') {
      commit.fate = 'good';
      throw new SqliteError('cannot_open', file, 'not now');
    }
    const db = openDatabase(file, options);
    instant();
    const exec = db.exec.bind(db);
    Object.defineProperty(db, 'exec', {
      value: (sql: string) => {
        instant();
        if (sql !== 'COMMIT' || commit.fate === 'good' || commit.fate === 'lost') exec(sql);
        instant();
        if (sql === 'COMMIT' && commit.fate !== 'good')
          throw Object.assign(new Error('disk I/O error'), {
            code: 'ERR_SQLITE_ERROR',
            errcode: 1034,
          });
      },
    });
    return db;
  };

/**
 * Returns a check that no stream has changed while its version is the same, to be called between
 * any two steps of the writer. It remembers a stream only now and then, so that remembered states
 * grow old.
 */
const versionCheck = (changes: StreamChanges, readAt: readonly number[]) => {
  const remembered = new Map<StreamName, { version: bigint; ids: string }>();
  let instants = 0;
  return (log: LogReader, skipping: LogReader): void => {
    instants += 1;
    for (const [n, stream] of streams.entries()) {
      const version = changes.versionOf(stream);
      const ids = idsOf(log, stream);
      expect(idsOf(skipping, stream)).toBe(ids);
      const known = remembered.get(stream);
      if (known !== undefined && known.version === version && known.ids !== ids)
        throw new Error(`${stream} has changed, but its version is still ${version}`);
      if (version !== undefined && ids !== '' && readAt.includes((instants + n) % 21))
        remembered.set(stream, { version, ids });
    }
  };
};

const streams = [0, 1, 2, 3].map((n): StreamName => `refledger.stream-${n}`);

/** Commits these groups in a file of its own, and checks the versions at each instant. */
const commitGroups = (groups: readonly Group[], readAt: readonly number[]): void => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-changes-'));
  const file = join(directory, 'events.db');
  const changes = new StreamChanges();
  const check = versionCheck(changes, readAt);
  let reader: { log: LogReader; skipping: LogReader } | undefined = undefined;
  const instant = (): void => reader && check(reader.log, reader.skipping);
  const commit: { fate: (typeof fates)[number] } = { fate: 'good' };
  const open = faultyOpen(commit, instant);
  const writer = new Writer(
    file,
    encodeAppend('refledger.log', [newEvent()], 'no stream'),
    changes,
    (...parameters) => {
      instant();
      expect(streams.map((stream) => changes.versionOf(stream))).toEqual(
        streams.map(() => undefined),
      );
      return open(...parameters);
    },
  );
  const db = openDatabase(file, { format: eventLogFormat, readOnly: true, synchronous: 'full' });
  const log = new LogReader(db);
  reader = { log, skipping: new LogReader(db, changes) };
  for (const { fate, appends } of groups) {
    commit.fate = fate;
    instant();
    const encoded = appends.map(({ stream: n, ahead }) => {
      const stream = present(streams[n]);
      const revision = (log.lastRevision(stream) ?? -1) + ahead;
      return encodeAppend(stream, [newEvent()], revision < 0 ? 'no stream' : revision);
    });
    try {
      writer.commit(encoded);
    } catch (error) {
      if (!(error instanceof SqliteError)) throw error;
    }
    if (commit.fate !== 'closed') commit.fate = 'good';
    instant();
  }
  writer.close();
  db.close();
  rmSync(directory, { recursive: true });
};

it('changes the versions whenever a stream has changed, at every instant of every commit', () => {
  fc.assert(
    fc.property(
      fc.array(group, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(20), { minLength: 5, maxLength: 5 }),
      commitGroups,
    ),
    { numRuns: 25 },
  );
});
