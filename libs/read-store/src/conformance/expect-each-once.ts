/// <reference types="jest" />
import type { Document, Query } from '../read-store.js';
import { changes, logId, newest, sale, sales, stored } from './fixtures.js';
import type { OpenStore } from './open-store.js';

/** Expects each of some documents once on all pages, while others are written between the pages. */
export const expectEachOnce = async (
  open: OpenStore,
  minutes: readonly number[],
  { limit, descending }: { readonly limit: number; readonly descending: boolean },
): Promise<void> => {
  const there = minutes.map((minute, i) =>
    sale(`s${i}`, { created_at: `2026-01-01T00:0${minute}:00.000Z` }),
  );
  const store = await open();
  const build = await store.createBuild(sales, logId, 'walk');
  await store.save([
    changes(
      build,
      there.length,
      ...there.map((document, i) => stored(document['id'] as string, i + 1, document)),
    ),
  ]);
  await store.goLive(build);

  const seen: Document[] = [];
  let after: Query['after'];
  for (let page = 0; ; page++) {
    const { value } = await store.find(sales, logId, 'sales', {
      ...newest,
      order: { ...newest.order, descending },
      limit,
      ...(after && { after }),
    });
    seen.push(...value);
    const last = value.at(-1);
    if (last === undefined) break;
    after = [last['created_at'] as string, last['id'] as string];
    const late = `late-${page}`;
    await store.save([
      changes(
        build,
        there.length + page + 1,
        stored(
          late,
          there.length + page + 1,
          sale(late, { created_at: `2026-01-01T00:0${page % 10}:30.000Z` }),
        ),
      ),
    ]);
  }

  const expected = there.map(({ id }) => id).sort();
  expect(
    seen
      .map(({ id }) => id)
      .filter((id) => !(id as string).startsWith('late'))
      .sort(),
  ).toEqual(expected);
  expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
  await store.dropBuild(build);
  await store.close();
};
