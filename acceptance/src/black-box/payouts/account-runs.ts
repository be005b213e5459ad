import {
  expectStatus,
  type ApiResponse,
  type Payout,
  type PayoutRun,
  type PayoutRunPreview,
  type RequestOptions,
  waitFor,
} from '@refledger/testing';
import type { OwingAccount } from './owing-account.js';

/** The payout runs of an account. */
export class AccountRuns {
  constructor(private readonly owing: OwingAccount) {}

  /** Requests a run. */
  start(body: object = {}, options: RequestOptions = {}): Promise<ApiResponse<PayoutRun>> {
    return this.owing.api.post('/v1/payout-runs', body, options);
  }

  /** Returns what a run would pay now. */
  async preview(body: object = {}, options: RequestOptions = {}): Promise<PayoutRunPreview> {
    const sent = { ...body, preview: true };
    return expectStatus(
      200,
      await this.owing.api.post<PayoutRunPreview>('/v1/payout-runs', sent, options),
    );
  }

  async get(id: string): Promise<PayoutRun> {
    return expectStatus(200, await this.owing.api.get<PayoutRun>(`/v1/payout-runs/${id}`));
  }

  change(id: string, patch: object): Promise<ApiResponse<PayoutRun>> {
    return this.owing.api.patch(`/v1/payout-runs/${id}`, patch);
  }

  /** Returns a run once it is finished. */
  finished(id: string): Promise<PayoutRun> {
    return waitFor(async () => {
      const run = await this.get(id);
      return run.status === 'finished' && run;
    });
  }

  /** Carries out a run. */
  async finish(body: object = {}): Promise<PayoutRun> {
    return this.finished(expectStatus(202, await this.start(body)).id);
  }

  /** Marks all payouts of a run, and returns the run once that is done. */
  async mark(id: string, patch: object): Promise<PayoutRun> {
    expectStatus(202, await this.change(id, patch));
    return waitFor(async () => {
      const run = await this.get(id);
      return run.marks.every(({ applied_at }) => applied_at !== null) && run;
    });
  }

  /** Returns the payouts that name a run. */
  payouts(id: string): Promise<Payout[]> {
    return this.owing.account.all('/v1/payouts', { run_id: id });
  }
}
