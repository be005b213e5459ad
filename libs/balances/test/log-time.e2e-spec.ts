import { streams, type DomainEvent } from '@refledger/contracts';
import { readLogTimeDiscounts, type EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { until } from '@refledger/testing';
import { auditBalances } from '../src/index.js';
import { Embedded, postToHead } from './embedded.js';
import { amounts, appendOne, decide, discountTime, noon, posted, sell } from './sell.js';

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
  const registered: DomainEvent = {
    type: 'program.registered',
    data: { program_id: 'prog_spring' },
  };
  await sell(log, { at: ten });
  await appendOne(log, streams.program('acct_1', 'prog_spring'), registered, {
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

    const stopped = await until(() => running.status().state === 'stopped' && running.status());
    expect(stopped.error).toContain('Posting continues at 2026-01-31T10:00:00.001Z');
    expect(await amounts(log)).toEqual([1]);
    now += 1;

    await until(async () => (await amounts(log)).length === 3);
    expect(await times()).toEqual([ten, ahead, ahead]);
  });

  it('is left out once it is skipped, with its time', async () => {
    await sell(log, { at: ten, amount: 1 });
    const position = await sell(log, { at: ahead, amount: 2 });
    await sell(log, { at: ten, amount: 3 });
    const running = embedded.run(options());
    await until(() => running.status().state === 'stopped');
    const event_id = (await log.eventAt(position))?.id ?? '';
    await decide(log, { type: 'skip', event_id, position });

    await until(async () => (await amounts(log)).length === 2);
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

describe('time that an operator took out of log time', () => {
  const late = '2026-03-01T10:00:00.000Z';
  const later = '2026-03-01T10:30:00.000Z';
  const soon = '2026-01-31T10:05:00.000Z';

  const findings = async (): Promise<readonly string[]> => {
    const audited = auditBalances({
      log,
      postedThrough: await log.head(),
      skipped: new Set(),
      discounts: await readLogTimeDiscounts(log),
      signal: new AbortController().signal,
    });
    const problems: string[] = [];
    for await (const { problem } of audited) problems.push(problem);
    return problems;
  };

  /** Posting stops at the second of these sales. */
  const stand = async () => {
    await sell(log, { at: ten, amount: 1 });
    const position = await sell(log, { at: late, amount: 2 });
    await sell(log, { at: later, amount: 3 });
    await sell(log, { at: soon, amount: 4 });
    const running = embedded.run(options());
    const stopped = await until(() => running.status().state === 'stopped' && running.status());
    return { position, running, stopped };
  };

  it('does not date entries, and posting goes on with every event', async () => {
    const { position, stopped } = await stand();
    expect(stopped.error).toContain(`ops discount-time ${position}`);
    expect(stopped.logTimeAheadSeconds).toBe((Date.parse(late) - now) / 1000);
    await discountTime(log, position);

    await until(async () => (await amounts(log)).length === 4);
    expect(await amounts(log)).toEqual([1, 2, 3, 4]);
    expect(await times()).toEqual([ten, ten, ten, soon]);
    expect(await findings()).toEqual([]);
  });

  it('counts again after the decision; before it, an earlier time still counts', async () => {
    const { position, running } = await stand();
    const between = await sell(log, { at: noon, amount: 5 });
    await discountTime(log, position);
    const stopped = await until(
      () => running.status().error?.includes(`at position ${between}`) && running.status(),
    );
    expect(stopped.error).toContain(`ops discount-time ${between}`);
    await discountTime(log, between);
    await until(async () => (await amounts(log)).length === 5);
    const after = await sell(log, { at: late, amount: 6 });
    await until(() => running.status().error?.includes(`at position ${after}`));
    now = Date.parse(late);

    await until(async () => (await amounts(log)).length === 6);
    expect(await times()).toEqual([ten, ten, ten, soon, soon, late]);
    await until(() => running.status().logTimeAheadSeconds === 0);
    expect(await findings()).toEqual([]);
  });

  it('stays out of it when posting begins again without its checkpoint', async () => {
    const { position, running } = await stand();
    await discountTime(log, position);
    await until(async () => (await amounts(log)).length === 4);
    await decide(log, { type: 'resume', from: 'head' });
    await running.stop();
    await sell(log, { at: ten, amount: 5 });
    await post();
    expect(await times()).toEqual([ten, ten, ten, soon, soon]);
    expect(await findings()).toEqual([]);
  });

  it('is replaced by the time of the decision if no event of an account came before', async () => {
    const position = await sell(log, { at: late });
    const running = embedded.run(options());
    await until(() => running.status().state === 'stopped');
    await discountTime(log, position);
    await until(async () => (await amounts(log)).length === 1);
    // when tests record decisions
    expect(await times()).toEqual([noon]);
    expect(await findings()).toEqual([]);
  });
});
