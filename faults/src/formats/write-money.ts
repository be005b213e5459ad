import {
  eventually,
  expectStatus,
  type Affiliate,
  type Conversion,
  type Payout,
  type PayoutRun,
  type TestAccount,
} from '@refledger/testing';
import type { WrittenRecords } from './write-records.js';

/** Sales with refunds in several currencies, adjustments, payouts and payout runs. */
export const writeMoney = async (
  account: TestAccount,
  { affiliates: [ada, bob] }: WrittenRecords,
): Promise<void> => {
  await writeSales(account, ada);
  await writeAdjustments(account, ada);
  await writePayouts(account, ada);
  await account.conversion(bob.id, { sale_currency: 'JPY', sale_amount: 8_000 });
  await account.adjustment(bob.id, { currency: 'EUR', amount: 1_250 });
  await writeRuns(account, bob);
  await account.conversion(ada.id, { sale_currency: 'EUR', sale_amount: 12_000 });
};

const writeSales = async (account: TestAccount, ada: Affiliate): Promise<void> => {
  const sell = (over: object): Promise<Conversion> => account.conversion(ada.id, over);
  await sell({ customer_id: 'customer-1', occurred_at: '2026-01-31T23:30:00+02:00' });
  await sell({ customer_id: 'customer-1', metadata: { sku: 'a-1' } });
  const refunded = await sell({ external_transaction_id: 'order-1', sale_amount: 20_000 });
  await account.update(refunded, { refunded_amount: 5_000 });
  await account.update(refunded, { commission_amount: 4_100, reason: 'Goodwill' });
  const fraud = await sell({ external_transaction_id: 'order-2', sale_currency: 'JPY' });
  await account.update(fraud, { status: 'rejected', reason: 'fraud' });
  await account.update(fraud, { status: 'approved' });
  const returned = await sell({ sale_currency: 'EUR', sale_amount: 7_000 });
  await account.update(returned, { status: 'refunded', reason: 'Returned' });
};

const writeAdjustments = async (account: TestAccount, ada: Affiliate): Promise<void> => {
  const bonus = await account.adjustment(ada.id, { external_id: 'bonus-1', amount: 8_000 });
  await account.update(bonus, { metadata: { by: 'Grace' } });
  const mistake = await account.adjustment(ada.id, { amount: -300, description: 'A mistake' });
  await account.update(mistake, { status: 'voided', reason: 'Twice' });
};

/** Payouts that end in every status, one of which comes back after it was completed. */
const writePayouts = async (account: TestAccount, ada: Affiliate): Promise<void> => {
  const set = (payout: Payout, change: object): Promise<Payout> =>
    updated(account, `/v1/payouts/${payout.id}`, change);
  const canceled = await account.payout(ada.id, { description: 'Too early' });
  await set(canceled, { status: 'canceled' });
  const failed = await account.payout(ada.id);
  await set(failed, { status: 'processing' });
  await set(failed, { status: 'failed', reason: 'Account closed' });
  const returned = await account.payout(ada.id);
  await set(returned, { status: 'completed', reference: 'PP-1' });
  await paidStatus(account, returned.id);
  await set(returned, { status: 'failed', reason: 'Returned by the bank' });
  await paidStatus(account, returned.id);
  const completed = await account.payout(ada.id, { metadata: { batch: '7' } });
  await set(completed, { status: 'completed', completed_at: '2026-01-31T09:30:00Z' });
  await set(completed, { metadata: { batch: '8' } });
  await account.conversion(ada.id, { sale_amount: 1_000 });
  const imported = await account.payout(ada.id);
  const result = { payout_id: imported.id, status: 'completed', reference: 'PP-2' };
  const options = {
    body: `${JSON.stringify(result)}\n`,
    headers: { 'content-type': 'application/x-ndjson' },
  };
  expectStatus(200, await account.api.send('POST', '/v1/payouts/import', options));
};

const updated = async <T>({ api }: TestAccount, path: string, change: object): Promise<T> => {
  const response = await api.patch<T>(path, change);
  if (response.status >= 300) throw new Error(`${path} got ${response.status}: ${response.text}`);
  return response.body;
};

/** Waits until the conversions that a payout has paid, or no longer pays, say so. */
const paidStatus = (account: TestAccount, payout: string): Promise<void> =>
  eventually(
    async () => {
      const { body } = await account.api.get<Payout>(`/v1/payouts/${payout}`);
      const paid = await account.all<Conversion>('/v1/conversions', { payout_id: payout });
      if ((body.status === 'completed') !== paid.length > 0)
        throw new Error(`${payout} is ${body.status}, but paid ${paid.length} conversions`);
    },
    { timeoutMs: 60_000 },
  );

/** A run whose payouts are completed, and another one whose payouts are on their way. */
const writeRuns = async (account: TestAccount, bob: Affiliate): Promise<void> => {
  const start = async (over: object): Promise<PayoutRun> => {
    const body = { ignore_minimum: true, ...over };
    const run = expectStatus(202, await account.api.post<PayoutRun>('/v1/payout-runs', body));
    return settled(account, run.id);
  };
  const run = await start({ description: 'January', metadata: { month: '1' } });
  await updated(account, `/v1/payout-runs/${run.id}`, { description: 'January 2026' });
  await updated(account, `/v1/payout-runs/${run.id}`, { status: 'processing' });
  await settled(account, run.id);
  await updated(account, `/v1/payout-runs/${run.id}`, { status: 'completed' });
  await settled(account, run.id);
  await account.adjustment(bob.id, { currency: 'USD', amount: 4_200 });
  const { id } = await start({ currency: 'USD', affiliate_ids: [bob.id] });
  await updated(account, `/v1/payout-runs/${id}`, { status: 'processing' });
  await settled(account, id);
};

/** Waits until a run is finished and all of its marks are applied. */
const settled = ({ api }: TestAccount, id: string): Promise<PayoutRun> =>
  eventually(
    async () => {
      const { body: run } = await api.get<PayoutRun>(`/v1/payout-runs/${id}`);
      if (run.status === 'running' || run.marks.some(({ applied_at }) => applied_at === null))
        throw new Error(`${id} is still at work`);
      return run;
    },
    { timeoutMs: 60_000 },
  );

/** So many entries of one balance that a chapter of it ends, while some are still open. */
export const writeChapter = async (account: TestAccount): Promise<void> => {
  const program = await account.program({
    name: 'Long',
    conversion_approval: 'automatic',
    terms: { type: 'flat', amounts: { USD: 100 } },
  });
  const hal = await account.affiliate({
    email: 'hal@example.com',
    name: 'Hal',
    program_id: program.id,
  });
  await account.update(hal, { status: 'approved' });
  const sale = await account.conversion(hal.id);
  for (let n = 1; n <= chapterOfEntries; n++)
    await account.update(sale, { commission_amount: 100 + n, reason: 'Goodwill' });
};

/** The number of events in a chapter (ADR 35). */
const chapterOfEntries = 1_000;
