import { streams, type DomainEvent } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { until } from '@refledger/testing';
import { Embedded, postToHead } from './embedded.js';
import { amounts, appendOne, decide, noon, posted, sell } from './sell.js';

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

it('is the greatest time recorded so far, so it never falls', async () => {
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
