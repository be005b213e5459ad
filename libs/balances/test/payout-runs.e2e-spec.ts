import { randomUUID } from 'node:crypto';
import { streams, type RunId } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { waitFor } from '@refledger/testing';
import fc from 'fast-check';
import { payoutRunsName } from '../src/index.js';
import { allOf, Embedded } from './embedded.js';
import { faultyLog, replacingAppend, type Fault } from './faulty-log.js';
import { payday, payee, Payer } from './payees.js';
import { RunningLedger } from './running-ledger.js';
import { noon } from './sell.js';

let embedded: Embedded;
let log: EventLog;
let store: ReadStore;
let ledger: RunningLedger;
beforeEach(async () => {
  embedded = new Embedded();
  log = await embedded.openLog();
  store = await embedded.openStore();
  ledger = new RunningLedger(log, store, embedded);
});
afterEach(async () => {
  await ledger.close();
  await embedded.remove();
});

/** Affiliates who are each owed one sum: 1, 2, 3 and so on. */
const owe = async (count: number): Promise<void> => {
  for (let n = 1; n <= count; n++) await payee(log, [n]);
};
const sumUpTo = (n: number): number => (n * (n + 1)) / 2;

/** Checks that a run counted what it paid, and that each balance was paid once. */
const expectPaid = async (ids: readonly RunId[], count: number): Promise<void> => {
  const payouts = (await Promise.all(ids.map((id) => ledger.payouts(id)))).flat();
  expect(new Set(payouts.map(({ balance_id }) => balance_id)).size).toBe(count);
  expect(payouts).toHaveLength(count);
  for (const id of ids) {
    const run = await ledger.run(id);
    const own = payouts.filter(({ run_id }) => run_id === id);
    const amount = own.reduce((sum, payout) => sum + BigInt(payout.amount), 0n);
    expect(run.payouts.created).toBe(own.length);
    expect(run.totals).toEqual(
      own.length === 0 ? [] : [{ currency: 'USD', payouts: own.length, amount }],
    );
  }
  await ledger.expectLaws();
};

const settle = () => Promise.resolve();
const faults: readonly Fault[] = [
  'crash before it',
  'crash after it',
  'unknown, lost',
  'unknown, written',
];

it('pays each balance once and counts right, wherever its workers end', async () => {
  let owed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ at: fc.nat(25), fault: fc.constantFrom(...faults) }), {
        minLength: 1,
        maxLength: 4,
      }),
      async (ends) => {
        await owe(8);
        owed += 8;
        const id = await ledger.start();
        for (const { at, fault } of ends) {
          let crashed = false;
          const faulty = faultyLog(log, at, fault);
          const watched = replacingAppend(faulty, async (...append) => {
            try {
              return await faulty.append(...append);
            } catch (error) {
              crashed ||= error instanceof Error && error.message === 'crashed';
              throw error;
            }
          });
          const worker = ledger.work(watched);
          await waitFor(async () => crashed || (await ledger.run(id)).status === 'finished');
          await worker.stop();
        }
        const last = ledger.work();
        const run = await ledger.done(id);
        await last.stop();
        expect(run.payouts).toMatchObject({ created: 8 });
        // the balances that earlier runs paid
        expect(run.payouts.skipped).toMatchObject({ nothing_payable: owed - 8 });
        expect(run.totals).toEqual([{ currency: 'USD', payouts: 8, amount: BigInt(sumUpTo(8)) }]);
        await ledger.expectLaws();
      },
    ),
    { numRuns: 8, endOnFailure: process.env['CI'] === undefined },
  );
});

it('continues after its description was changed: its payouts keep the one that it started with', async () => {
  await owe(2);
  const crashing = replacingAppend(log, (stream, events, expected) =>
    events[0]?.type === 'payout_run.finished'
      ? Promise.reject(new Error('crashed'))
      : log.append(stream, events, expected),
  );
  const first = ledger.work(crashing);
  const id = await ledger.start({ description: 'January' });
  await waitFor(() => first.status().state === 'retrying');
  await first.stop();
  await ledger.update(id, { description: 'January, late' });

  ledger.work();
  const run = await ledger.done(id);

  expect(run).toMatchObject({ description: 'January, late', payouts: { created: 2 } });
  const payouts = await ledger.payouts(id);
  expect(payouts.map(({ description }) => description)).toEqual(['January', 'January']);
});

it('two workers and two runs at once share the balances', async () => {
  await owe(40);
  const other = await embedded.openStore('another lease');
  const second = new RunningLedger(log, other, embedded);
  ledger.work();
  second.work();
  const ids = await Promise.all([ledger.start(), ledger.start()]);
  for (const id of ids) await ledger.done(id);
  await second.close();
  await expectPaid(ids, 40);
});

it('a mark that is applied again changes nothing, and counts the same', async () => {
  await owe(5);
  const first = ledger.work();
  const id = await ledger.start();
  await ledger.done(id);
  await first.stop();
  await ledger.update(id, { status: 'processing' });
  // this worker ends before it can record that the mark is applied
  const crashing = replacingAppend(log, (stream, events, expected) =>
    events[0]?.type === 'payout_run.mark_applied'
      ? Promise.reject(new Error('crashed'))
      : log.append(stream, events, expected),
  );
  const second = ledger.work(crashing);
  await waitFor(() => second.status().state === 'retrying');
  await second.stop();
  const processing = await ledger.payouts(id);
  expect(processing.map(({ status }) => status)).toEqual(Array<string>(5).fill('processing'));
  // what becomes of a payout after the mark is none of the mark's business
  const [paid] = processing;
  if (paid !== undefined) await new Payer(log, { settle }).update(paid.id, { status: 'completed' });

  ledger.work();
  const { marks } = await ledger.done(id);

  expect(marks).toMatchObject([{ status: 'processing', changed: 5, left: 0 }]);
  const changes = (await allOf(log)).filter(({ type }) => type === 'payout.processing');
  expect(changes.map(({ data }) => (data as { mark: number | null }).mark)).toEqual(
    Array<number>(5).fill(1),
  );
  await ledger.expectLaws();
});

it('a mark reaches the payouts of every page', async () => {
  const count = 101;
  await owe(count);
  ledger.work();
  const id = await ledger.start();
  await ledger.done(id);
  await ledger.update(id, { status: 'processing' });
  expect((await ledger.done(id)).marks).toMatchObject([{ changed: count, left: 0 }]);
});

it('is carried out, and so are its marks, though the clock is set back across midnight', async () => {
  await owe(2);
  const id = await ledger.start();
  ledger.work(log, { now: () => payday - 86_400_000 });
  expect((await ledger.done(id)).payouts).toMatchObject({ created: 2 });
  const completed_at = new Date(payday).toISOString();
  await ledger.update(id, { status: 'completed', completed_at });
  expect((await ledger.done(id)).marks).toMatchObject([{ status: 'completed', changed: 2 }]);
  expect(await ledger.payouts(id)).toMatchObject([{ completed_at }, { completed_at }]);
  await ledger.expectLaws();
});

it('a run that is canceled pays no one else', async () => {
  await owe(3);
  const id = await ledger.start();
  await ledger.update(id, { status: 'canceled', reason: 'too early' });
  ledger.work();
  const run = await ledger.done(id);
  expect(run).toMatchObject({
    status: 'finished',
    payouts: { created: 0 },
    totals: [],
    marks: [{ status: 'canceled', changed: 0, left: 0 }],
  });
  await expectPaid([id], 0);
});

it('a run that cannot continue is repeated, and can be skipped', async () => {
  await owe(2);
  const failing = replacingAppend(log, (stream, events, expected) =>
    events[0]?.type === 'payout_run.finished'
      ? Promise.reject(new Error('the run cannot end'))
      : log.append(stream, events, expected),
  );
  const worker = ledger.work(failing, { now: () => payday + 60_000 });
  const id = await ledger.start();
  await waitFor(() => worker.status().state === 'retrying');
  expect(worker.status()).toMatchObject({ error: 'the run cannot end', lagSeconds: 60 });

  const start = (await allOf(log)).find(({ type }) => type === 'payout_run.started');
  if (start === undefined) throw new Error('no run was started');
  // the checkpoint is right before the event, which is how `ops skip` knows that the event is in
  // the way
  await waitFor(async () => {
    const [build] = await store.builds(payoutRunsName);
    const before = build?.checkpoint?.position;
    for await (const { events } of log.readAll(before === undefined ? {} : { after: before }))
      return events[0]?.id === start.id;
    return false;
  });
  const data = { processor: payoutRunsName, event_id: start.id, position: start.position };
  const metadata = {
    account_id: null,
    actor: 'ops',
    request_id: 'r',
    schema: 1,
    recorded_at: noon,
  };
  await log.append(
    streams.processor(payoutRunsName),
    [{ id: randomUUID(), type: 'processor.skipped', data, metadata }],
    'no stream',
  );

  await waitFor(() => worker.status().state === 'live');
  expect(await ledger.run(id)).toMatchObject({ status: 'running' });
  await worker.stop();
  ledger.work();
  // a later run pays what is left, and the one that was skipped stays as it is
  const next = await ledger.start();
  await ledger.done(next);
  expect(await ledger.run(id)).toMatchObject({ status: 'running' });
});
