import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type Database } from '@refledger/sqlite';
import { present } from '@refledger/testing/present';
import { chooseIndex } from '../choose-index.js';
import { changes, logId, newest, madeFrom, sale, sales, stored } from '../conformance/fixtures.js';
import { readStoreConformance } from '../conformance/index.js';
import type { Build, Document, Query, ReadStore } from '../read-store.js';
import { tableOf, textsTableOf } from './collection-table.js';
import { findSql } from './finding/find-sql.js';
import { readModelsFormat } from './read-store.format.js';
import { openSqliteReadStore } from './sqlite-read-store.js';

/** The number of frames in a write-ahead log that was never checkpointed. */
const pagesIn = (file: string): number => (statSync(file).size - 32) / 4120;

const newDirectory = (): string => mkdtempSync(join(tmpdir(), 'refledger-read-store-'));

readStoreConformance('SQLite', () => {
  const directory = newDirectory();
  return Promise.resolve({
    open: (mode) => openSqliteReadStore({ file: join(directory, 'read-models.db'), mode }),
    remove: () => Promise.resolve(rmSync(directory, { recursive: true })),
  });
});

describe('the SQLite read store', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = newDirectory();
    file = join(directory, 'read-models.db');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  describe('answers declared queries from an index, without sorting', () => {
    let store: ReadStore;
    let build: Build;
    let db: Database;
    beforeEach(async () => {
      store = await openSqliteReadStore({ file, mode: 'write' });
      build = await store.createBuild(sales, logId, 'first');
      await store.goLive(build);
      db = openDatabase(file, { format: readModelsFormat, synchronous: 'normal', readOnly: true });
    });
    afterEach(async () => {
      db.close();
      await store.close();
    });

    const planOf = (
      query: Query,
      index = present(chooseIndex(present(sales.collections[0]), query)),
      selected?: string,
    ): string => {
      const { text, values } = findSql(tableOf(build, 'sales'), index, query, selected);
      return (
        db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as unknown as { detail: string }[]
      )
        .map(({ detail }) => detail)
        .join('; ');
    };
    const approved: Query = {
      ...newest,
      where: [
        ...newest.where,
        { field: 'status', equals: 'approved' },
        { field: 'created_at', after: '2026' },
      ],
    };

    it('in either order', () => {
      for (const descending of [true, false]) {
        const order = { ...newest.order, descending };
        expect(planOf({ ...newest, order, after: ['2026-01-01', 'x'] })).toMatch(
          /^SEARCH .* USING INDEX \S+_by_account_id_created_at_id \(f_account_id=\? AND \(f_created_at,f_id\)[<>]\(\?,\?\)\)$/,
        );
        expect(planOf({ ...approved, order })).toMatch(
          /^SEARCH .* USING INDEX \S+_by_account_id_status_created_at_id \(f_account_id=\? AND f_status=\? AND f_created_at>\?\)$/,
        );
      }
    });

    it('that holds only the documents that have a sparse field', () => {
      const paid = (equals: string | null): Query => ({
        ...newest,
        where: [...newest.where, { field: 'payout_id', equals }],
      });
      expect(planOf(paid('pay_1'))).toMatch(
        /^SEARCH .* USING INDEX \S+_by_account_id_payout_id_created_at_id \(f_account_id=\? AND f_payout_id=\?\)$/,
      );
      // The index of a sparse field lacks the documents that lack the field.
      expect(() =>
        planOf(paid(null), chooseIndex(present(sales.collections[0]), paid('pay_1'))),
      ).toThrow('no query solution');
    });

    it('with the document of each row of a multikey field', () => {
      const where = [...newest.where, { field: 'tags', equals: 'red' }];
      expect(planOf({ ...newest, where, after: ['2026-03', 'x'] })).toMatch(
        /^SEARCH entry USING INDEX \S+_by_account_id_tags_created_at_id \(f_account_id=\? AND f_tags=\? AND \(f_created_at,f_id\)<\(\?,\?\)\)\W+SEARCH found USING INDEX sqlite_autoindex_\S+_1 \(id=\?\)$/,
      );
    });

    it('for one range of a merge', () => {
      expect(
        planOf(
          {
            ...approved,
            where: [
              ...newest.where,
              { field: 'status', equals: 'approved' },
              { field: 'paid', equals: false },
            ],
            after: ['2026-03', 'x'],
          },
          present(sales.collections[0]).indexes[1],
          'rowid, f_created_at, f_id',
        ),
      ).toMatch(
        /^SEARCH .* USING INDEX \S+_by_account_id_status_paid_created_at_id \(f_account_id=\? AND f_status=\? AND f_paid=\? AND \(f_created_at,f_id\)<\(\?,\?\)\)$/,
      );
    });

    const deep = (
      descending: boolean,
      bounds: Pick<Extract<Query['where'][number], { after?: unknown }>, 'after' | 'before'>,
    ): string =>
      planOf({
        ...newest,
        where: [...newest.where, { field: 'created_at', ...bounds }],
        order: { ...newest.order, descending },
        after: ['2026-03', 'x'],
      }).replace(/^.*INDEX \S+ /, '');

    it('at the same cost at any depth', () => {
      expect(deep(true, { before: '2026-05' })).toBe(
        '(f_account_id=? AND (f_created_at,f_id)<(?,?))',
      );
      expect(deep(true, { before: '2026-05', after: '2026-01' })).toBe(
        '(f_account_id=? AND f_created_at>? AND (f_created_at,f_id)<(?,?))',
      );
      expect(deep(false, { after: '2026-01' })).toBe(
        '(f_account_id=? AND (f_created_at,f_id)>(?,?))',
      );
      expect(deep(false, { before: '2026-05', after: '2026-01' })).toBe(
        '(f_account_id=? AND (f_created_at,f_id)>(?,?) AND f_created_at<?)',
      );
    });

    it('by id, without consulting any index of fields', () => {
      expect(
        (
          db
            .prepare(
              `EXPLAIN QUERY PLAN ${findSql(tableOf(build, 'sales'), 'id', { ...approved, id: 'a' }).text}`,
            )
            .all() as unknown as { detail: string }[]
        ).map(({ detail }) => detail),
      ).toEqual([
        expect.stringMatching(/^SEARCH .* USING INDEX sqlite_autoindex_\S+_1 \(id=\?\)$/),
      ]);
    });

    it('within a bound beyond the start of the page, possible with a made-up cursor', () => {
      expect(deep(true, { before: '2026-02' })).toContain('f_created_at<?');
      expect(deep(false, { after: '2026-04' })).toContain('f_created_at>?');
    });
  });

  it('lets a reader open it first, without writing', async () => {
    const reader = await openSqliteReadStore({ file, mode: 'read' });
    const writer = await openSqliteReadStore({ file, mode: 'write' });
    const build = await writer.createBuild(sales, logId, 'first');
    await writer.save([changes(build, 1, stored('a', 1))]);
    await writer.goLive(build);

    expect((await reader.get(sales, logId, 'sales', 'a')).value).toEqual(sale('a'));
    await reader.recordKeyUses(new Map([['key_1', '2026-01-31T09:00:00.000Z']]));
    await expect(reader.save([changes(build, 2)])).rejects.toMatchObject({
      name: 'ReadStoreError',
    });
    await reader.close();
    await writer.close();
  });

  it('recreates builds with an earlier layout under their own ids, and drops leftovers', async () => {
    const first = await openSqliteReadStore({ file, mode: 'write' });
    const build = await first.createBuild(sales, logId, 'first');
    await first.goLive(build);
    await first.close();
    const old = openDatabase(file, { format: readModelsFormat, synchronous: 'normal' });
    old.exec(
      `CREATE TABLE ${tableOf({ id: '0123456789abcdef', projection: 'sales', version: 1 }, 'sales')} (id TEXT); DROP TABLE key_uses; PRAGMA user_version = 1`,
    );
    old.close();

    const store = await openSqliteReadStore({ file, mode: 'write' });
    expect(await store.builds('sales')).toEqual([]);
    expect((await store.createBuild(sales, logId, 'first')).id).toBe(build.id);
    await store.save([changes(build, 1, stored('a', 1))]);
    await store.close();

    const db = openDatabase(file, { format: readModelsFormat, synchronous: 'normal' });
    expect(
      db
        .prepare<{ readonly name: string }>(
          `SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'sales%'`,
        )
        .all()
        .map(({ name }) => `"${name}"`),
    ).toEqual([tableOf(build, 'sales'), textsTableOf(tableOf(build, 'sales'), 'tags')]);
    db.close();
  });

  it('rewrites no index entry that has not changed', async () => {
    const store = await openSqliteReadStore({ file, mode: 'write' });
    const build = await store.createBuild(sales, logId, 'first');
    await store.save([
      changes(
        build,
        3000,
        ...Array.from({ length: 3000 }, (_, n) =>
          stored(`s${n}`, n + 1, sale(`s${n}`, { note: 'x' })),
        ),
      ),
    ]);
    await store.goLive(build);
    const [live] = await store.builds('sales');
    const pagesWritten = async (
      read: number,
      position: number,
      fields: Document,
    ): Promise<number> => {
      const before = pagesIn(`${file}-wal`);
      await store.save([
        changes(
          present(live),
          position,
          madeFrom(read, stored('s1500', position, sale('s1500', fields))),
        ),
      ]);
      return pagesIn(`${file}-wal`) - before;
    };

    // The document and the checkpoint.
    expect(await pagesWritten(1501, 3001, { note: 'y' })).toBe(2);
    // Also one index, that of the amount: its entry moves from one page to another.
    expect(await pagesWritten(3001, 3002, { note: 'y', amount: 2 })).toBe(4);
    await store.close();
  });

  it('does not block its thread while another process has locked the file', async () => {
    const store = await openSqliteReadStore({ file, mode: 'write' });
    const build = await store.createBuild(sales, logId, 'first');
    const other = openDatabase(file, { format: readModelsFormat, synchronous: 'normal' });
    other.exec('BEGIN IMMEDIATE');

    const saved = store.save([changes(build, 1, stored('a', 1))]);
    // other work of this thread, reads among it, continues; it also ends the lock
    expect(await store.load(build, 'sales', ['a'])).toEqual([]);
    await new Promise(setImmediate);
    other.exec('ROLLBACK');
    other.close();

    expect(await saved).toBe(true);
    expect(await store.load(build, 'sales', ['a'])).toHaveLength(1);
    await store.close();
  });

  it('rejects a file of another kind, and names it', async () => {
    writeFileSync(
      file,
      'this text is not a database, and is longer than a SQLite header. '.repeat(20),
    );

    await expect(openSqliteReadStore({ file, mode: 'write' })).rejects.toMatchObject({
      name: 'ReadStoreError',
      kind: 'unusable',
      message: expect.stringContaining('read-models.db') as string,
    });
  });

  it('returns `unavailable` once it is closed', async () => {
    const store = await openSqliteReadStore({ file, mode: 'write' });
    await store.close();
    await store.close();

    await expect(store.builds('sales')).rejects.toMatchObject({
      name: 'ReadStoreError',
      kind: 'unavailable',
    });
  });

  it('rejects invalid names, and indexed values that are not scalar', async () => {
    const store = await openSqliteReadStore({ file, mode: 'write' });
    await expect(
      store.createBuild({ ...sales, name: 'x"; DROP TABLE builds; --' }, logId, 'first'),
    ).rejects.toThrow(TypeError);
    const build = await store.createBuild(sales, logId, 'first');

    await expect(
      store.save([changes(build, 1, stored('a', 1, sale('a', { amount: new Date(0) })))]),
    ).rejects.toMatchObject({ kind: 'unstorable' });
    expect((await store.builds('sales')).map(({ checkpoint }) => checkpoint)).toEqual([undefined]);
    await store.close();
  });
});
