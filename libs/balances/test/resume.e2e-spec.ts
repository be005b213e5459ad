import { randomUUID } from 'node:crypto';
import { streams } from '@refledger/contracts';
import { encodeEvent, type EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { eventually } from '@refledger/testing';
import { Posting, postingName } from '../src/index.js';
import { allOf, Embedded, postToHead, silent } from './embedded.js';
import { Sales } from './sales.js';

const now = Date.UTC(2026, 0, 31);
const sold = { affiliate: 'aff_a', currency: 'USD', day: '2026-02-01' } as const;
let embedded: Embedded;
let log: EventLog;
let store: ReadStore;
let decisions = 0;
beforeEach(async () => {
  embedded = new Embedded();
  log = await embedded.openLog();
  store = await embedded.openStore();
  decisions = 0;
});
afterEach(() => embedded.remove());

/** A sale by an affiliate who has no other sale, and who is owed this much for it. */
const sell = (amount: number) =>
  new Sales(log, [sold], now).take({ sale: 0, to: 'approved', amount, minutes: 0, ahead: 0 });

const resumeFrom = (from: string) =>
  log.append(
    streams.processor(postingName),
    [
      encodeEvent(
        { type: 'processor.resumed', data: { processor: postingName, from, stop: null } },
        randomUUID(),
        {
          account_id: null,
          actor: 'ops',
          request_id: 'r',
          recorded_at: '2026-01-31T00:00:00.000Z',
        },
      ),
    ],
    decisions++ === 0 ? 'no stream' : decisions - 2,
  );

const posted = async () =>
  (await allOf(log)).flatMap(({ type, data }) =>
    type === 'balance.posted' ? (data as { readonly amount: number }).amount : [],
  );
const post = (to = store) => postToHead({ log, store: to, now: () => now });

it('omits what an operator decides to skip, and nothing after it', async () => {
  await sell(1);
  await post();
  await sell(2);
  await resumeFrom('head');
  await post();
  await sell(3);
  await post();

  expect(await posted()).toEqual([1, 3]);
});

it('continues after a position, and posts nothing twice', async () => {
  await sell(1);
  await post();
  const first = await log.head();
  await sell(2);
  await sell(3);
  await post();
  await resumeFrom(first ?? '');
  await post();

  expect(await posted()).toEqual([1, 2, 3]);
});

it('carries out a decision while it works', async () => {
  await sell(1);
  const begun: string[] = [];
  const stop = new AbortController();
  const posting = new Posting({ log, store, logger: silent, now: () => now });
  const running = posting.run(async (batch) => {
    begun.push(batch.events[0]?.type ?? '');
    await posting.post(batch);
  }, stop.signal);
  await eventually(async () => expect(await posted()).toEqual([1]));
  await resumeFrom('start');
  await sell(2);

  await eventually(async () => {
    expect(begun.filter((type) => type === 'log.opened')).toHaveLength(2);
    expect(await posted()).toEqual([1, 2]);
    expect(posting.status().state).toBe('live');
  });
  stop.abort();
  await running;
  expect(begun.filter((type) => type === 'log.opened')).toHaveLength(2);
});
