/// <reference types="jest" />
import {
  accountId,
  affiliate,
  erasureAt,
  keyOf,
  pagesOf,
  rowsOf,
  type KeyStoreUnderTest,
} from './under-test.js';

/** Tests that a scan shows every row once, in order. */
export const scanning = (at: KeyStoreUnderTest): void => {
  describe('scan', () => {
    it('of a new store is empty', async () => {
      expect(await pagesOf(at.store)).toEqual([]);
    });

    it('shows all rows in order of their owners, over several pages', async () => {
      const owners = [accountId, ...Array.from({ length: 1_100 }, (_, n) => affiliate(String(n)))];
      await Promise.all(owners.map((owner) => at.store.put(owner, keyOf(owner))));
      await at.store.destroy(affiliate('new'), erasureAt(9));
      const sorted = [...owners, affiliate('new')].sort();

      const pages = await pagesOf(at.other);
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.flat().map(({ owner }) => owner)).toEqual(sorted);
      expect(new Set(pages.flat().map(({ kind }) => kind))).toEqual(new Set(['key', 'erased']));

      const rest = await rowsOf(at.store, sorted[600]);
      expect(rest.map(({ owner }) => owner)).toEqual(sorted.slice(601));
    });

    it('ends after a last page that is full', async () => {
      const owners = Array.from({ length: 500 }, (_, n) => affiliate(String(n)));
      await Promise.all(owners.map((owner) => at.store.put(owner, keyOf(owner))));
      expect((await pagesOf(at.store)).map(({ length }) => length)).toEqual([500]);
    });

    it('goes on while rows are added', async () => {
      const owners = Array.from({ length: 600 }, (_, n) => affiliate(String(n)));
      await Promise.all(owners.map((owner) => at.store.put(owner, keyOf(owner))));
      const seen: string[] = [];
      for await (const page of at.store.scan()) {
        seen.push(...page.map(({ owner }) => owner));
        await at.other.put(affiliate(`added ${seen.length}`), keyOf('key'));
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(owners));
    });
  });
};
