import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { comparePositions, streams } from '@refledger/contracts';
import { ReadModelUnreadable } from '@refledger/read-store';
import { eventually, waitFor } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import {
  affiliatesProjection,
  conversionsProjection,
  projections,
  type Projection,
} from '../src/index.js';
import { affiliateCreated, affiliateId } from './builders.js';
import { OnSqlite } from './on-sqlite.js';
import { buildsOf, idsIn } from './stored.js';

let embedded: OnSqlite;
beforeEach(() => (embedded = new OnSqlite()));
afterEach(() => embedded.remove());

const long = { timeoutMs: 60_000 };

it('builds every projection, then keeps it current', async () => {
  const [log, store] = [await embedded.openLog(), await embedded.openStore()];
  await embedded.append(log, streams.affiliate(affiliateId), affiliateCreated);
  const running = embedded.run(log, store, projections);

  const position = await embedded.sell(log, 'conv_1');

  for (const projection of projections)
    expect(await store.waitForPosition(projection, log.id, position, long)).toBe(true);
  expect(await idsIn(store, log)).toEqual(['conv_1']);
  expect(
    (
      await store.get(
        present(projections.find(({ name }) => name === 'affiliate_stats')),
        log.id,
        'affiliate_stats',
        affiliateId,
      )
    ).value,
  ).toMatchObject({ conversions: { total: 1 } });
  // the batch is saved before the status shows it
  await eventually(() =>
    expect(running.status()).toMatchObject({
      state: 'live',
      position,
      head: position,
      lagSeconds: 0,
      building: undefined,
    }),
  );
});

it('is live only once its read models can be read, however fast the log grows meanwhile', async () => {
  const [log, store] = [await embedded.openLog(), await embedded.openStore()];
  await embedded.sell(log, 'conv_1');
  const states: string[] = [];
  const running = embedded.run(log, store, projections, async (batch) => {
    if (states.length < 20) {
      states.push(running.status().state);
      await embedded.sell(log, `conv_more${states.length}`);
    }
    await batch.apply();
  });
  await waitFor(() => running.status().state === 'live');
  expect(states).toEqual(Array.from({ length: 20 }, () => 'catching_up'));
  expect((await buildsOf(store, 'conversions')).map(({ state }) => state)).toEqual(['live']);
});

it('rebuilds a read model that followed another log', async () => {
  const [one, two, store] = [
    await embedded.openLog('one'),
    await embedded.openLog('two'),
    await embedded.openStore(),
  ];
  const before = embedded.run(one, store, [conversionsProjection]);
  await embedded.sell(one, 'conv_1');
  await waitFor(async () =>
    (await buildsOf(store, 'conversions')).some(({ state }) => state === 'live'),
  );
  await before.stop();
  const other = await embedded.append(two, streams.affiliate(affiliateId), affiliateCreated);
  await expect(idsIn(store, two)).rejects.toThrow(ReadModelUnreadable);

  embedded.run(two, store, [conversionsProjection]);

  expect(await store.waitForPosition(conversionsProjection, two.id, other, long)).toBe(true);
  expect(await idsIn(store, two)).toEqual([]);
  expect(
    await waitFor(
      async () =>
        (await buildsOf(store, 'conversions')).length === 1 && buildsOf(store, 'conversions'),
    ),
  ).toMatchObject([{ state: 'live', logId: two.id }]);
});

it('rebuilds a read model that followed events that a restored backup lacks', async () => {
  const [log, store] = [await embedded.openLog(), await embedded.openStore()];
  await embedded.sell(log, 'conv_1');
  await log.close();
  cpSync(join(embedded.directory, 'events.db'), join(embedded.directory, 'backup', 'events.db'));
  const grown = await embedded.openLog();
  const before = embedded.run(grown, store, [conversionsProjection]);
  expect(
    await store.waitForPosition(
      conversionsProjection,
      log.id,
      await embedded.sell(grown, 'conv_2'),
      long,
    ),
  ).toBe(true);
  await before.stop();
  const restored = await embedded.openLog('backup');
  expect(restored.id).toBe(log.id);
  await embedded.sell(restored, 'conv_3');
  const torn = present((await buildsOf(store, 'conversions'))[0]);

  const after = embedded.run(restored, store, [conversionsProjection]);
  // Once the builds are planned, reads can't return anything that the log doesn't hold.
  await after.planned;
  expect((await buildsOf(store, 'conversions')).map(({ id }) => id)).not.toContain(torn.id);

  await waitFor(async () =>
    (await buildsOf(store, 'conversions')).every(
      ({ id, state }) => id !== torn.id && state === 'live',
    ),
  );
  expect(await idsIn(store, restored)).toEqual(['conv_1', 'conv_3']);
});

/** Turns the event into a document that no engine can store. */
const unstorable: Projection = {
  ...conversionsProjection,
  keysOf: (event) =>
    event.type === 'key.revoked'
      ? [{ collection: 'conversions', id: event.data.key_id }]
      : conversionsProjection.keysOf(event),
  evolve: (document, event, key) =>
    event.type === 'key.revoked'
      ? { id: key.id, status: { no: 'text' } }
      : conversionsProjection.evolve(document, event, key),
};

it.each([
  ['of a type that is not known', projections, undefined],
  ['whose document the store cannot keep', [affiliatesProjection, unstorable], 'cannot be stored'],
  [
    'that a projection fails on',
    [
      { ...affiliatesProjection },
      {
        ...conversionsProjection,
        keysOf: (event) => {
          if (event.type === 'key.revoked') throw new Error('broken projection');
          return conversionsProjection.keysOf(event);
        },
      },
    ] satisfies Projection[],
    'broken projection',
  ],
] as const)('stops at an event %s until it is skipped permanently', async (_, kept, message) => {
  const [log, store] = [await embedded.openLog(), await embedded.openStore()];
  const running = embedded.run(log, store, kept);
  await waitFor(() => running.status().state === 'live');
  const poisonous =
    message === undefined
      ? { type: 'x_poison' as const, data: {} }
      : { type: 'key.revoked' as const, data: { key_id: 'key_1' as const } };

  const [sold, position] = await Promise.all([
    embedded.sell(log, 'conv_1'),
    embedded.append(log, 'refledger.x-1', poisonous),
    embedded.sell(log, 'conv_2'),
  ]);

  const stopped = await waitFor(() => running.status().state === 'stopped' && running.status());
  expect(stopped.error).toContain(`at position ${position}`);
  expect(stopped.error).toContain(message ?? 'does not know its type');
  const event = present(await log.eventAt(position));
  expect(embedded.errors).toEqual([
    {
      details: expect.objectContaining({
        position,
        event_id: event.id,
        event_type: event.type,
      }) as object,
      message: expect.stringContaining(`ops skip projector ${position}`) as string,
    },
  ]);
  expect(await store.waitForPosition(conversionsProjection, log.id, sold, { timeoutMs: 0 })).toBe(
    true,
  );
  expect(await idsIn(store, log)).toEqual(['conv_1']);

  await embedded.decide(log, {
    type: 'processor.skipped',
    data: { processor: 'projector', event_id: event.id, position },
  });
  await waitFor(async () => (await idsIn(store, log)).length === 2);
  const before = present((await buildsOf(store, 'conversions'))[0]);
  await embedded.decide(log, {
    type: 'processor.rebuild_requested',
    data: { processor: 'projector', projection: 'conversions' },
  });
  await waitFor(async () =>
    (await buildsOf(store, 'conversions')).every(
      ({ id, state }) => id !== before.id && state === 'live',
    ),
  );

  expect(await idsIn(store, log)).toEqual(['conv_1', 'conv_2']);
  await waitFor(() => running.status().state === 'live');
  expect(embedded.errors).toHaveLength(1);
});

it('executes a rebuild request once, across restarts', async () => {
  const [log, store] = [await embedded.openLog(), await embedded.openStore()];
  await embedded.sell(log, 'conv_1');
  const running = embedded.run(log, store, projections);
  const first = await waitFor(async () =>
    (await buildsOf(store, 'conversions')).find(({ state }) => state === 'live'),
  );
  const others = await buildsOf(store, 'affiliates');

  await embedded.decide(log, {
    type: 'processor.rebuild_requested',
    data: { processor: 'projector', projection: 'conversions' },
  });
  await embedded.decide(log, {
    type: 'processor.rebuild_requested',
    data: { processor: 'webhook-dispatcher', projection: 'affiliates' },
  });

  const second = await waitFor(async () =>
    (await buildsOf(store, 'conversions')).find(
      ({ id, state }) => id !== first.id && state === 'live',
    ),
  );
  await waitFor(async () => (await buildsOf(store, 'conversions')).length === 1);
  await running.stop();
  embedded.run(log, store, projections);
  expect(
    await store.waitForPosition(
      conversionsProjection,
      log.id,
      await embedded.sell(log, 'conv_2'),
      long,
    ),
  ).toBe(true);
  expect(await buildsOf(store, 'conversions')).toEqual([second]);
  expect(await buildsOf(store, 'affiliates')).toEqual(
    others.map((build) => ({ ...build, state: 'live' })),
  );
  expect(await idsIn(store, log)).toEqual(['conv_1', 'conv_2']);
});

it('continues where it was interrupted, without going through the log again', async () => {
  const [log, store] = [await embedded.openLog(), await embedded.openStore()];
  for (let i = 0; i < 25; i++)
    await Promise.all(
      Array.from({ length: 100 }, (_, j) => embedded.sell(log, `conv_${i * 100 + j}`)),
    );
  let batches = 0;
  let kill = (): void => undefined;
  const killed = new Promise<void>((resolve) => (kill = resolve));
  const first = embedded.run(log, store, projections, async (batch) => {
    if (++batches > 2) return killed;
    await batch.apply();
  });
  await waitFor(() => batches > 2);
  const ended = first.stop();
  kill();
  await ended;
  const reached = present((await store.builds('conversions'))[0]?.checkpoint).position;
  const second = embedded.run(log, store, projections, async (batch) => {
    expect(batch.events.every(({ position }) => comparePositions(position, reached) > 0)).toBe(
      true,
    );
    await batch.apply();
  });

  await waitFor(() => second.status().state === 'live' && second.status().building === undefined);

  const rows: unknown[] = [];
  for await (const page of store.scan(
    present((await store.builds('conversions'))[0]),
    'conversions',
  ))
    rows.push(...page.documents);
  expect(rows).toHaveLength(2500);
});

it('lets two projectors work at once', async () => {
  const [log, store, other] = [
    await embedded.openLog(),
    await embedded.openStore(),
    await embedded.openStore(),
  ];
  await embedded.append(log, streams.affiliate(affiliateId), affiliateCreated);
  const running = [embedded.run(log, store, projections), embedded.run(log, other, projections)];
  for (let i = 0; i < 300; i++) {
    await embedded.sell(log, `conv_${i}`);
    if (i % 100 === 50)
      await embedded.decide(log, {
        type: 'processor.rebuild_requested',
        data: { processor: 'projector', projection: 'affiliate_stats' },
      });
  }
  const position = present(await log.head());

  await waitFor(
    async () =>
      running.every(
        ({ status }) =>
          status().state === 'live' &&
          status().position === position &&
          status().building === undefined,
      ) && (await store.builds('affiliate_stats')).length === 1,
  );

  const statsProjection = present(projections.find(({ name }) => name === 'affiliate_stats'));
  expect(await store.get(statsProjection, log.id, 'affiliate_stats', affiliateId)).toMatchObject({
    value: { conversions: { total: 300, pending: 300 } },
    position,
  });
  for (const projection of projections)
    expect(await buildsOf(store, projection.name)).toMatchObject([{ state: 'live' }]);
});
