import { comparePositions, type Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { waitFor } from '@refledger/testing';
import { postingName } from '../src/index.js';
import { allOf, copyTo, Embedded, postToHead } from './embedded.js';
import { amounts, atNoon, decide, posted, sell } from './sell.js';

let embedded: Embedded;
let log: EventLog;
let store: ReadStore;
beforeEach(async () => {
  embedded = new Embedded();
  log = await embedded.openLog();
  store = await embedded.openStore();
});
afterEach(() => embedded.remove());

const post = (over: { readonly log?: EventLog; readonly store?: ReadStore } = {}) =>
  postToHead({ log, store, now: atNoon, ...over });
const inNewStore = async () => ({ store: await embedded.openStore('new') });

/** Sells three times, for different affiliates. */
const sellThrice = async (): Promise<readonly Position[]> => {
  const positions: Position[] = [];
  for (const [affiliate, amount] of [
    ['aff_a', 1],
    ['aff_b', 2],
    ['aff_c', 3],
  ] as const)
    positions.push(await sell(log, { affiliate, amount }));
  return positions;
};
const inAnyOrder = async () => [...(await amounts(log))].sort();

describe('resuming', () => {
  it('from head omits what came before the decision, and nothing since', async () => {
    await sellThrice();
    await decide(log, { type: 'resume', from: 'head' });
    await sell(log, { amount: 4 });
    await post();
    expect(await amounts(log)).toEqual([4]);
  });

  it('from head omits the same if it is done again, because the store was lost', async () => {
    await decide(log, { type: 'resume', from: 'head' });
    await post();
    await sell(log, { amount: 4 });
    await post(await inNewStore());
    expect(await amounts(log)).toEqual([4]);
  });

  it('from a position continues after it', async () => {
    const [, second] = await sellThrice();
    await decide(log, { type: 'resume', from: second ?? '' });
    await post();
    expect(await amounts(log)).toEqual([3]);
  });

  it('from a position that only another log had omits nothing since', async () => {
    await decide(log, { type: 'resume', from: '9' });
    for (let amount = 1; amount < 10; amount++) await sell(log, { amount });
    await post();
    expect(await amounts(log)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('from an earlier position, or from the start, posts nothing twice', async () => {
    const [first] = await sellThrice();
    await post();
    for (const from of [first ?? '', 'start']) {
      await decide(log, { type: 'resume', from });
      await post();
    }
    expect(await inAnyOrder()).toEqual([1, 2, 3]);
  });

  it('is done once', async () => {
    await decide(log, { type: 'resume', from: 'head' });
    await sell(log, { amount: 4 });
    await post();
    await post();
    const builds = await store.builds(postingName);
    expect(builds.map(({ state }) => state)).toEqual(['live']);
    expect(builds[0]?.checkpoint?.position).toBe((await allOf(log)).at(-1)?.position);
  });
});

describe('without its checkpoint, posting starts over', () => {
  it('when the store is lost', async () => {
    await sellThrice();
    await post();
    await sell(log, { amount: 4 });
    await post(await inNewStore());
    expect(await inAnyOrder()).toEqual([1, 2, 3, 4]);
  });

  it('when the event at the checkpoint is a different one because the log was restored', async () => {
    await sellThrice();
    await post();
    const restored = await embedded.openLog('restored');
    await copyTo(restored, await allOf(log), 2);
    // the restored log has the same id, as far as the store can see
    const sameId = Object.assign(Object.create(restored) as EventLog, { id: log.id });
    for (let amount = 5; amount < 12; amount++) await sell(restored, { amount });
    await post({ log: sameId });
    expect([...(await amounts(restored))].sort((a, b) => a - b)).toEqual([
      1, 5, 6, 7, 8, 9, 10, 11,
    ]);
  });
});

describe('a log that is restored under a running ledger', () => {
  it('is posted as if the ledger had never seen what was lost', async () => {
    let current = log;
    const switching = new Proxy(log, {
      get: (_, name) => {
        const value: unknown = name === 'id' ? log.id : Reflect.get(current, name);
        return typeof value === 'function' ? (value as () => unknown).bind(current) : value;
      },
    });
    const onRestored: boolean[] = [];
    await sell(log, { amount: 1 });
    embedded.run({ log: switching, store, now: atNoon }, async (batch, posting) => {
      // the subscription to the lost log ends
      if (current !== log && onRestored.push(true) === 1) throw new Error('the log went away');
      await posting.post(batch);
    });
    await waitFor(async () => (await amounts(log)).length === 1);
    const restored = await embedded.openLog('restored');
    // the event that opened the log, which is not copied, and the sale
    await copyTo(restored, await allOf(log), 2);
    const lost = await sell(log, { amount: 2 });
    await waitFor(async () => (await amounts(log)).length === 2);

    current = restored;
    const position = await sell(restored, { amount: 3 });
    await sell(log, { amount: 7 });

    // a balance that reflects the lost event says that everything up to there was posted
    expect(comparePositions(position, lost)).toBeLessThan(0);
    await waitFor(async () => (await amounts(restored)).length === 2);
    expect(await amounts(restored)).toEqual([1, 3]);
  });
});

describe('a copy of the log', () => {
  it('is continued with nothing posted twice and no gap', async () => {
    for (let amount = 1; amount <= 7; amount++) await sell(log, { amount });
    await postToHead({ log, store, now: atNoon, chapterLength: 6 });
    await sell(log, { amount: 8 });
    const copy = await embedded.openLog('copy');
    await sell(copy, { amount: 0 });
    await copyTo(copy, await allOf(log));
    await sell(copy, { amount: 9 });

    const [first, second] = [await inNewStore(), { store: await embedded.openStore('another') }];
    for (const on of [first, second, first])
      await postToHead({ ...on, log: copy, now: atNoon, chapterLength: 6 });

    expect((await posted(copy)).map(({ number, amount }) => [number, amount])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [n, n]),
    );
  });

  it('is refused loudly if it lacks the last event posted', async () => {
    await sell(log);
    await post();
    const copy = await embedded.openLog('copy');
    const balances = (await allOf(log)).filter(({ type }) => type.startsWith('balance.'));
    await copyTo(copy, [...balances]);
    await sell(copy);
    await expect(post({ log: copy, ...(await inNewStore()) })).rejects.toThrow(
      'the event log does not have event',
    );
  });
});
