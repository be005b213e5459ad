/// <reference types="jest" />
import { KeyStoreError } from '../key-store.js';
import {
  affiliate,
  checkpointAt,
  erasedAt,
  erasureAt,
  keyOf,
  rowsOf,
  type KeyStoreFixture,
  type KeyStoreUnderTest,
} from './under-test.js';

/** Tests what opening creates and refuses, and what survives closing. */
export const opening = (at: KeyStoreUnderTest, factory: () => Promise<KeyStoreFixture>): void => {
  const kindOf = (opened: Promise<unknown>): Promise<unknown> =>
    opened.then(
      () => 'opened',
      (error: unknown) => (error instanceof KeyStoreError ? error.kind : error),
    );

  describe('opening', () => {
    it('never creates a store unless asked to', async () => {
      const missing = await factory();
      expect(await kindOf(missing.open(false))).toBe('absent');
      expect(await kindOf(missing.read())).toBe('absent');
      expect(await kindOf(missing.open(false))).toBe('absent');
      await missing.remove();
    });

    it('gives the store an id that it keeps, and another store another one', async () => {
      const { id } = at.store;
      expect(id).not.toBe('');
      const again = await at.fixture.open(true);
      const reader = await at.fixture.read();
      expect([at.other.id, again.id, reader.id]).toEqual([id, id, id]);
      await Promise.all([again.close(), reader.close()]);

      const second = await factory();
      const created = await second.open(true);
      expect(created.id).not.toBe(id);
      await created.close();
      await second.remove();
    });

    it('creates a store with a given id, which an existing one does not take', async () => {
      const fixture = await factory();
      const created = await fixture.open(true, 'given');
      const again = await fixture.open(true, 'another');
      const reader = await fixture.read();
      expect([created.id, again.id, reader.id]).toEqual(['given', 'given', 'given']);
      await Promise.all([created, again, reader].map((each) => each.close()));
      await fixture.remove();
    });

    it('creates one store when several processes open it at the same time', async () => {
      const fixture = await factory();
      const opened = await Promise.all([1, 2, 3].map(() => fixture.open(true)));
      expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
      await Promise.all(opened.map((store) => store.close()));
      await fixture.remove();
    });

    it('shows again what was stored before it was closed', async () => {
      await at.store.put(affiliate('a'), keyOf('key a', 'claim a'));
      await at.store.destroy(affiliate('b'), erasureAt(2));
      await at.store.saveCheckpoint(checkpointAt(3));
      const rows = await rowsOf(at.store);
      await Promise.all([at.store.close(), at.other.close()]);

      const store = await at.fixture.open(false);
      expect(await rowsOf(store)).toEqual(rows);
      expect(await store.getMany([affiliate('a'), affiliate('b')])).toEqual(
        new Map([
          [affiliate('a'), { kind: 'key', key: 'key a' }],
          [affiliate('b'), { kind: 'erased', ...erasedAt(2) }],
        ]),
      );
      expect(await store.checkpoint()).toEqual(checkpointAt(3));
      await store.close();
    });

    it('keeps the checkpoint that was saved last', async () => {
      expect(await at.store.checkpoint()).toBeUndefined();
      await at.store.saveCheckpoint(checkpointAt(7));
      // a restored log
      await at.store.saveCheckpoint({ ...checkpointAt(2), logId: 'log two' });
      const reader = await at.fixture.read();
      for (const each of [at.store, at.other, reader])
        expect(await each.checkpoint()).toEqual({ ...checkpointAt(2), logId: 'log two' });
      await reader.close();
    });

    it('is unavailable once it was closed, for reads and writes', async () => {
      const closed = await at.fixture.open(false);
      await closed.close();
      expect(await kindOf(closed.getMany([affiliate('a')]))).toBe('unavailable');
      expect(await kindOf(closed.put(affiliate('a'), keyOf('key')))).toBe('unavailable');
      expect(await kindOf(rowsOf(closed))).toBe('unavailable');
    });
  });
};
