import { eventually, type Conversion, type Payout, type PayoutRun } from '@refledger/testing';
import type { Intent, WrittenRecord } from '../ledger.js';
import type { Writing } from './act.js';

/**
 * Makes one payout of each kind, however few the load makes: one that stays completed, one that
 * comes back, one that is canceled, and one of a run that is marked. The load does not know of
 * them, so they stay as they are.
 */
export const createFirstPayouts = async (writing: Writing): Promise<void> => {
  const payee = new Payee(writing);
  const sale = await payee.sell(60_000);
  await payee.mark(await payee.pay(), 'completed');
  await payee.correct(sale, 50_000);
  await payee.sell(70_000);
  const returned = await payee.pay();
  await payee.mark(returned, 'completed');
  await payee.mark(returned, 'failed');
  await payee.mark(await payee.pay(), 'canceled');
  await payee.markRun(await payee.run());
  // everything is in payouts: this one skips the balance
  await payee.run();
};

/** An affiliate of the program in which everything is approved immediately. */
class Payee {
  private readonly id: string;

  constructor(private readonly writing: Writing) {
    const payee = writing.known.affiliates.find(({ status }) => status === 'approved');
    if (payee === undefined) throw new Error('no affiliate was approved at once');
    this.id = payee.id;
  }

  sell(commission_amount: number): Promise<Conversion> {
    return this.send('conversion.create', 'POST', '/v1/conversions', {
      affiliate_id: this.id,
      sale_amount: 1_000_000,
      sale_currency: 'USD',
      commission_amount,
      occurred_at: '2024-01-31T12:00:00.000Z',
    });
  }

  correct({ id }: Conversion, commission_amount: number): Promise<Conversion> {
    return this.send('conversion.update', 'PATCH', `/v1/conversions/${id}`, { commission_amount });
  }

  pay(): Promise<Payout> {
    const body = { affiliate_id: this.id, currency: 'USD', ignore_minimum: true };
    // posting may be behind
    return eventually(() => this.send('payout.create', 'POST', '/v1/payouts', body));
  }

  mark({ id }: Payout, status: 'completed' | 'failed' | 'canceled'): Promise<Payout> {
    const reason = status === 'failed' && { reason: 'the account is closed' };
    return this.send('payout.update', 'PATCH', `/v1/payouts/${id}`, { status, ...reason });
  }

  /** Returns the run once it is finished. */
  async run(): Promise<PayoutRun> {
    const body = { affiliate_ids: [this.id], ignore_minimum: true };
    const { id } = await this.send<PayoutRun>('payout_run.create', 'POST', '/v1/payout-runs', body);
    return eventually(async () => {
      const { body: run } = await this.writing.client.get<PayoutRun>(`/v1/payout-runs/${id}`);
      if (run.status !== 'finished') throw new Error(`payout run ${id} is not finished`);
      return run;
    });
  }

  markRun({ id }: PayoutRun): Promise<PayoutRun> {
    const body = { status: 'processing' };
    return this.send('payout_run.update', 'PATCH', `/v1/payout-runs/${id}`, body);
  }

  private async send<T extends WrittenRecord>(
    what: Intent['what'],
    method: Intent['method'],
    path: string,
    body: Record<string, unknown>,
  ): Promise<T> {
    const { client, known } = this.writing;
    const key = what.endsWith('.create') && { key: known.name('key') };
    const { outcome } = await client.send({ what, method, path, body, ...key });
    if (outcome.report !== 'acknowledged' || outcome.record === null)
      throw new Error(`${what} was not acknowledged: ${JSON.stringify(outcome)}`);
    // decoding boundary: the response to such a request holds such a record
    return outcome.record as T;
  }
}
