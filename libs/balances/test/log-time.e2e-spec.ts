import { streams, type DomainEvent } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { waitFor } from '@refledger/testing';
import { readPostedThrough, type PostingStatus } from '../src/index.js';
import { Embedded, postToHead, silent } from './embedded.js';
import { findings } from './payees.js';
import { amounts, appendOne, decide, ignoreTime, noon, posted, sell } from './sell.js';

const ten = '2026-01-31T10:00:00.000Z';
const eleven = '2026-01-31T11:00:00.000Z';
const minute = 60_000;

let embedded: Embedded;
let log: EventLog;
let store: ReadStore;
let now: number;
beforeEach(async () => {
  embedded = new Embedded();
  log = await embedded.openLog();
  store = await embedded.openStore();
  // the ledger's own events don't move log time beyond that of the sales
  now = Date.parse(ten);
});
afterEach(() => embedded.remove());

const options = () => ({ log, store, now: () => now });
const post = () => postToHead(options());
const times = async () => (await posted(log)).map(({ posted_at }) => posted_at);

it('is the latest time recorded so far, so it never goes back', async () => {
  for (const at of [ten, '2026-01-31T10:05:00.000Z', ten]) await sell(log, { at });
  await post();
  expect(await times()).toEqual([ten, '2026-01-31T10:05:00.000Z', '2026-01-31T10:05:00.000Z']);
});

it.each([
  ['kept the time of the event before it', { time_kept: true as const }],
  ['belongs to no account', { account_id: null }],
])('is not moved by an event that %s', async (_, metadata) => {
  const created: DomainEvent = {
    type: 'account.created',
    data: { account_id: 'acct_1', name: 'a' },
  };
  await sell(log, { at: ten });
  await appendOne(log, streams.account('acct_1'), created, {
    account_id: 'acct_1',
    recorded_at: noon,
    ...metadata,
  });
  await sell(log, { at: ten });
  await post();
  expect(await times()).toEqual([ten, ten]);
});

it('is known after a restart', async () => {
  now = Date.parse(eleven);
  await sell(log, { at: eleven, amount: 0 });
  await post();
  await sell(log, { at: ten });
  now = Date.parse(ten) + 55 * minute;
  await post();
  expect(await times()).toEqual([eleven]);
});

it('is known after posting resumes past the event that moved it', async () => {
  now = Date.parse(eleven);
  await sell(log, { at: eleven });
  await decide(log, { type: 'resume', from: 'head' });
  await sell(log, { at: ten });
  await post();
  expect(await times()).toEqual([eleven]);
});

describe('an event recorded more than 10 minutes ahead of the ledger', () => {
  const ahead = new Date(Date.parse(ten) + 10 * minute + 1).toISOString();

  it('stops posting until the clock gets there', async () => {
    await sell(log, { at: ten, amount: 1 });
    await sell(log, { at: ahead, amount: 2 });
    await sell(log, { at: ten, amount: 3 });
    const running = embedded.run(options());

    const stopped = await waitFor(() => running.status().state === 'stopped' && running.status());
    expect(stopped.error).toContain('Posting continues at 2026-01-31T10:00:00.001Z');
    expect(await amounts(log)).toEqual([1]);
    now += 1;

    await waitFor(async () => (await amounts(log)).length === 3);
    expect(await times()).toEqual([ten, ahead, ahead]);
  });

  it('is left out once it is skipped, with its time', async () => {
    await sell(log, { at: ten, amount: 1 });
    const position = await sell(log, { at: ahead, amount: 2 });
    await sell(log, { at: ten, amount: 3 });
    const running = embedded.run(options());
    await waitFor(() => running.status().state === 'stopped');
    const event_id = (await log.eventAt(position))?.id ?? '';
    await decide(log, { type: 'skip', event_id, position });

    await waitFor(async () => (await amounts(log)).length === 2);
    expect(await amounts(log)).toEqual([1, 3]);
    expect(await times()).toEqual([ten, ten]);
  });

  it('is posted if it is exactly 10 minutes ahead', async () => {
    const at = new Date(Date.parse(ten) + 10 * minute).toISOString();
    await sell(log, { at });
    await post();
    expect(await times()).toEqual([at]);
  });

  it('does not stop posting if it kept the time of the event before it', async () => {
    await sell(log, { at: ten });
    await sell(log, { at: noon, metadata: { time_kept: true } });
    await post();
    expect(await times()).toEqual([ten, ten]);
  });
});

const late = '2026-03-01T10:00:00.000Z';
const later = '2026-03-01T10:30:00.000Z';
const soon = '2026-01-31T10:05:00.000Z';

describe('time that an operator took out of log time', () => {
  /** Posting stops at the second of these sales. */
  const stand = async () => {
    await sell(log, { at: ten, amount: 1 });
    const position = await sell(log, { at: late, amount: 2 });
    await sell(log, { at: later, amount: 3 });
    await sell(log, { at: soon, amount: 4 });
    const running = embedded.run(options());
    const stopped = await waitFor(() => running.status().state === 'stopped' && running.status());
    return { position, running, stopped };
  };

  it('does not date entries, and posting continues with every event', async () => {
    const { position, stopped } = await stand();
    expect(stopped.error).toContain(`ops ignore-time ${position}`);
    expect(stopped.logTimeAheadSeconds).toBe((Date.parse(late) - now) / 1000);
    await ignoreTime(log, position);

    await waitFor(async () => (await amounts(log)).length === 4);
    expect(await amounts(log)).toEqual([1, 2, 3, 4]);
    expect(await times()).toEqual([ten, ten, ten, soon]);
    expect(await findings(log)).toEqual([]);
  });

  it('counts again after the decision; before it, an earlier time still counts', async () => {
    const { position, running } = await stand();
    const between = await sell(log, { at: noon, amount: 5 });
    await ignoreTime(log, position);
    const stopped = await waitFor(
      () => running.status().error?.includes(`at position ${between}`) && running.status(),
    );
    expect(stopped.error).toContain(`ops ignore-time ${between}`);
    await ignoreTime(log, between);
    await waitFor(async () => (await amounts(log)).length === 5);
    const after = await sell(log, { at: late, amount: 6 });
    await waitFor(() => running.status().error?.includes(`at position ${after}`));
    now = Date.parse(late);

    await waitFor(async () => (await amounts(log)).length === 6);
    expect(await times()).toEqual([ten, ten, ten, soon, soon, late]);
    await waitFor(() => running.status().logTimeAheadSeconds === 0);
    expect(await findings(log)).toEqual([]);
  });

  it('stays out of it when posting starts again without its checkpoint', async () => {
    const { position, running } = await stand();
    await ignoreTime(log, position);
    await waitFor(async () => (await amounts(log)).length === 4);
    await decide(log, { type: 'resume', from: 'head' });
    await running.stop();
    await sell(log, { at: ten, amount: 5 });
    await post();
    expect(await times()).toEqual([ten, ten, ten, soon, soon]);
    expect(await findings(log)).toEqual([]);
  });

  it('is replaced by the time of the decision if no event of an account came before', async () => {
    const position = await sell(log, { at: late });
    const running = embedded.run(options());
    await waitFor(() => running.status().state === 'stopped');
    // when tests record decisions
    now = Date.parse(noon);
    await ignoreTime(log, position);
    await waitFor(async () => (await amounts(log)).length === 1);
    expect(await times()).toEqual([noon]);
    expect(await findings(log)).toEqual([]);
  });
});

describe('a wrong clock that the ledger shared', () => {
  const progress = () => readPostedThrough(store, log.id);
  const stopped = (running: { status: () => PostingStatus }) =>
    waitFor(() => running.status().state === 'stopped' && running.status());
  /** Posts one sale at the right time and, with the clock 29 days ahead, two more. */
  const postAhead = async () => {
    await sell(log, { at: ten, amount: 1 });
    await post();
    now = Date.parse(later);
    const position = await sell(log, { at: late, amount: 2 });
    await sell(log, { at: later, amount: 3 });
    await post();
    now = Date.parse(soon);
    return position;
  };

  it('stops posting at its start, with nothing to post, and names the first event', async () => {
    const position = await postAhead();
    const { error, logTimeAheadSeconds } = await stopped(embedded.run(options()));
    expect(error).toContain(`at position ${position}`);
    expect(error).toContain(`recorded at ${late}, and this machine's clock says ${soon}`);
    expect(error).toContain('Posting continues at 2026-03-01T10:20:00.000Z by this clock');
    expect(error).toContain('First of all, correct the clock of this machine');
    expect(error).toContain(`ops ignore-time ${position}`);
    expect(logTimeAheadSeconds).toBe((Date.parse(later) - now) / 1000);
  });

  it('stops posting while nothing is recorded, and again only once', async () => {
    now = Date.parse(late);
    const errors: string[] = [];
    const logger = { ...silent, error: (_: object, message: string) => errors.push(message) };
    const position = await sell(log, { at: late });
    const running = embedded.run({ ...options(), clockCheckMs: 1, logger });
    await waitFor(() => running.status().state === 'live');
    expect((await progress()).logTime).toBe(late);
    now = Date.parse(soon);

    await stopped(running);
    now = Date.parse(late);
    await waitFor(() => running.status().state === 'live');
    now = Date.parse(soon);
    await stopped(running);
    expect(errors).toHaveLength(2);
    expect(errors[0]).toContain(`posting has stopped at position ${position}`);
  });

  it('posts nothing with its date, although the next event has the right time', async () => {
    await postAhead();
    now = Date.parse(later);
    const running = embedded.run(options());
    await waitFor(() => running.status().state === 'live');
    now = Date.parse(soon);
    await sell(log, { at: soon, amount: 4 });
    const { error } = await stopped(running);
    expect(error).toContain(`Log time (${later})`);
    expect(await amounts(log)).toEqual([1, 2, 3]);
  });

  it('is taken out of log time; what was posted keeps its date', async () => {
    const position = await postAhead();
    const running = embedded.run(options());
    await stopped(running);
    await sell(log, { at: soon, amount: 4 });
    await ignoreTime(log, position);

    await waitFor(async () => (await amounts(log)).length === 4);
    expect(await times()).toEqual([ten, late, later, soon]);
    await waitFor(() => running.status().state === 'live');
    expect(running.status().logTimeAheadSeconds).toBe(0);
    expect(await findings(log)).toEqual([]);
    // posting could not know the decision when it dated that entry
    const asIfKnown = await findings(log, (event) =>
      event.type === 'balance.posted' && (event.data as { posted_at: string }).posted_at === late
        ? { ...event, data: { ...(event.data as object), posted_at: ten } }
        : event,
    );
    expect(asIfKnown).toContain(`its posted_at is ${ten}, but its source says ${late}`);
  });

  it('is taken out of the log time that is stored, also while posting is running', async () => {
    const position = await postAhead();
    now = Date.parse(later);
    const running = embedded.run(options());
    await waitFor(() => running.status().state === 'live');
    expect(await progress()).toMatchObject({ logTime: later, decidedRevision: -1 });
    await ignoreTime(log, position);
    await waitFor(async () => (await progress()).decidedRevision === 0);
    expect((await progress()).logTime).toBe(ten);
    expect(await amounts(log)).toEqual([1, 2, 3]);
  });

  it('is a stop from which posting without its checkpoint continues, too', async () => {
    const position = await postAhead();
    await sell(log, { at: soon, amount: 4 });
    const lost = await embedded.openStore('lost');
    const running = embedded.run({ ...options(), store: lost });
    expect((await stopped(running)).error).toContain(`at position ${position}`);
    await ignoreTime(log, position);
    await waitFor(async () => (await amounts(log)).length === 4);
    expect(await amounts(log)).toEqual([1, 2, 3, 4]);
    expect(await times()).toEqual([ten, late, later, soon]);
    expect(await findings(log)).toEqual([]);

    // a ledger that starts after the decision has known it from its first event on
    await running.stop();
    const another = await embedded.openStore('another');
    await postToHead({ ...options(), store: another });
    expect((await readPostedThrough(another, log.id)).decidedRevision).toBe(0);
  });

  it('set years back stops posting until it is right again, and nothing has to be decided', async () => {
    await sell(log, { at: ten, amount: 1 });
    const running = embedded.run({ ...options(), clockCheckMs: 1 });
    await waitFor(async () => (await amounts(log)).length === 1);
    now = Date.parse('2020-01-01T00:00:00.000Z');
    await stopped(running);
    await sell(log, { at: '2020-01-01T00:00:00.000Z', amount: 2 });
    now = Date.parse(ten);
    await waitFor(async () => (await amounts(log)).length === 2);
    expect(await times()).toEqual([ten, ten]);
  });

  it('is dated by the decisions that posting knew, and ends a batch at a new one', async () => {
    await sell(log, { at: ten, amount: 1 });
    now = Date.parse(later);
    const position = await sell(log, { at: late, amount: 2 });
    const batches: number[] = [];
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const running = embedded.run(options(), async (batch, posting) => {
      batches.push(batch.events.length);
      // after posting started, and before it takes its first batch
      if (batches.length === 1) await gate;
      await posting.post(batch);
    });
    await waitFor(() => batches.length === 1);
    await ignoreTime(log, position);
    await sell(log, { at: soon, amount: 3 });
    open();
    await waitFor(async () => (await amounts(log)).length === 3);
    expect(await times()).toEqual([ten, late, soon]);
    await waitFor(async () => (await progress()).decidedRevision === 0);
    expect(await findings(log)).toEqual([]);
    await running.stop();
  });
});
