import { streams } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { SteppedLog } from '@refledger/event-log/conformance';
import { ReadModelUnreadable, type ReadStore } from '@refledger/read-store';
import { waitFor } from '@refledger/testing';
import { postingProjection, readPostedThrough } from '../src/index.js';
import { allOf, postToHead } from './embedded.js';
import { replacingAppend } from './faulty-log.js';
import { OnSqlite } from './on-sqlite.js';
import { amounts, appendOne, atNoon, decide, noon, poison, sell } from './sell.js';

let embedded: OnSqlite;
let log: EventLog;
let store: ReadStore;
beforeEach(async () => {
  embedded = new OnSqlite();
  log = await embedded.openLog();
  store = await embedded.openStore();
});
afterEach(() => embedded.remove());

const options = () => ({ log, store, now: atNoon });
const post = () => postToHead(options());

describe('batches', () => {
  it('posts up to 200 entries of a balance per append', async () => {
    for (let amount = 1; amount <= 201; amount++) await sell(log, { amount });
    const { log: counted, steps } = SteppedLog.wrap(log);

    const run = postToHead({ ...options(), log: counted });
    while (await steps.step(run));
    await run;

    // the balance is opened, and then 201 entries are posted
    expect(steps.appends).toBe(3);
    expect(await amounts(log)).toEqual(Array.from({ length: 201 }, (_, i) => i + 1));
  });

  it('has a balance for each account, affiliate and currency', async () => {
    await sell(log, { amount: 1 });
    await sell(log, { amount: 2, affiliate: 'aff_b' });
    await sell(log, { amount: 3, account: 'acct_2' });

    await post();

    const own = (await allOf(log)).filter(({ type }) => type.startsWith('balance.'));
    expect(new Set(own.map(({ stream }) => stream)).size).toBe(3);
    expect(own.filter(({ type }) => type === 'balance.posted').map(accountAndAmount)).toEqual(
      expect.arrayContaining([
        ['acct_1', 1],
        ['acct_1', 2],
        ['acct_2', 3],
      ]),
    );
  });

  it('waits for every balance before it fails', async () => {
    await sell(log, { affiliate: 'aff_a' });
    await sell(log, { affiliate: 'aff_b' });
    const order: string[] = [];
    const watched = replacingAppend(log, async (stream, events, expected) => {
      if (order.push('append') === 1) throw new Error('the first append failed');
      return log.append(stream, events, expected);
    });
    embedded.run({ ...options(), log: watched }, async (batch, posting) => {
      await posting.post(batch).catch(() => order.push('failed'));
    });

    await waitFor(() => order.includes('failed'));

    // of the other balance, the opening and an entry
    expect(order).toEqual(['append', 'append', 'append', 'failed']);
    expect(await amounts(log)).toEqual([100]);
  });
});

const accountAndAmount = ({ metadata, data }: LoggedEvent) => [
  metadata.account_id,
  (data as { amount: number }).amount,
];

describe('an event that cannot be read', () => {
  it('stops posting after everything before it, until it is skipped', async () => {
    await sell(log, { amount: 1 });
    const position = await poison(log);
    await sell(log, { amount: 2 });
    const running = embedded.run(options());

    const stopped = await waitFor(() => running.status().state === 'stopped' && running.status());
    expect(stopped.error).toContain('this release does not know its type "conversion.poison"');
    expect(await amounts(log)).toEqual([1]);
    const event = await log.eventAt(position);
    await decide(log, { type: 'skip', event_id: event?.id ?? '', position });

    await waitFor(async () => (await amounts(log)).length === 2);
    expect(await amounts(log)).toEqual([1, 2]);
  });

  it('posts what is before it only once, however often it starts', async () => {
    await sell(log, { amount: 1 });
    await poison(log);
    await expect(post()).rejects.toThrow('conversion.poison');
    await expect(post()).rejects.toThrow('conversion.poison');
    expect(await amounts(log)).toEqual([1]);
  });

  it('skips unreadable events that cannot change what is owed', async () => {
    const event = { type: 'affiliate.poison', data: {} } as never;
    await appendOne(log, streams.affiliate('aff_a'), event, {
      account_id: 'acct_1',
      recorded_at: noon,
    });
    await sell(log, { amount: 1 });
    await post();
    expect(await amounts(log)).toEqual([1]);
  });
});

describe('what readers wait for', () => {
  const through = () => readPostedThrough(store, log.id);
  const lastPosted = async () =>
    (await allOf(log)).findLast(({ type }) => type === 'balance.posted')?.position;

  it('is unreadable before the first start', async () => {
    await expect(through()).rejects.toThrow(ReadModelUnreadable);
  });

  it('is the last event handled, and the last one posted', async () => {
    const position = await sell(log);
    await post();
    expect(await through()).toEqual({
      position,
      postedPosition: await lastPosted(),
      logTime: noon,
      decidedRevision: -1,
    });
    expect(await store.waitForPosition(postingProjection, log.id, position, { timeoutMs: 0 })).toBe(
      true,
    );
  });

  it('includes what another ledger has posted', async () => {
    const other = await embedded.openStore('other');
    const position = await sell(log);
    const running = embedded.run(options(), async (batch, posting) => {
      if (batch.through === position) await postToHead({ ...options(), store: other });
      await posting.post(batch);
      if (batch.through === position) void running.stop();
    });

    await waitFor(() => through().then((is) => is.position !== undefined));

    expect(await through()).toMatchObject({ position, postedPosition: await lastPosted() });
  });

  it('can be read after a ledger was killed during its first start', async () => {
    await store.createBuild(postingProjection, log.id, 'first');
    const position = await sell(log);
    await post();
    expect((await through()).position).toBe(position);
  });

  it('stays when posting resumes', async () => {
    await sell(log);
    await post();
    const postedPosition = await lastPosted();
    await decide(log, { type: 'resume', from: 'head' });
    await post();
    expect((await through()).postedPosition).toBe(postedPosition);
  });
});

describe('standing by', () => {
  it('posts nothing while another ledger has the lease', async () => {
    let isFree = false;
    const leased = new Proxy(store, {
      get: (target, name) => {
        if (name === 'holdLease') return () => Promise.resolve(isFree);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
      },
    });
    await sell(log, { amount: 1 });
    const running = embedded.run({ ...options(), store: leased, leaseMs: 30 });
    await waitFor(() => running.status().standingBy);
    expect(await amounts(log)).toEqual([]);

    isFree = true;

    await waitFor(async () => (await amounts(log)).length === 1);
    expect(running.status().standingBy).toBe(false);
  });
});
