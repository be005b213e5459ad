import {
  laterOf,
  streams,
  type AccountId,
  type Position,
  type RunId,
  type SkippedBalances,
  type SkipReason,
} from '@refledger/contracts';
import { newContext, type CommandHandler, type Throttle } from '@refledger/application';
import { payoutRunDecider, type PayoutRunCommand, type PresentPayoutRun } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import {
  balancesProjection,
  payoutRunsProjection,
  type BalanceDocument,
  type PayoutRunDocument,
} from '@refledger/projections';
import type { ProjectionSpec, Query, ReadStore } from '@refledger/read-store';
import { ledgerName } from '../ledger-name.js';
import type { Payouts } from '../payouts/payouts.js';
import { postingProjection, readPostedThrough } from '../posting/posting-progress.js';
import { markPayouts } from './mark-payouts.js';
import { openBalances, payoutOfRun } from './run-balances.js';
import { skipReasonOf } from './skip-reason.js';

export interface RunPayerParts {
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly commands: CommandHandler;
  readonly payouts: Pick<Payouts, 'createForRun'>;
  readonly throttle: Throttle;
}

/** A run, and the account that asked for it. */
export interface OwnedRun {
  readonly run_id: RunId;
  readonly accountId: AccountId;
}

/**
 * Carries out payout runs: pays every balance that can be paid, counts, and marks the payouts. Each
 * step can be repeated, so a run continues wherever an earlier worker stopped, and two workers do
 * no harm.
 */
export class RunPayer {
  constructor(private readonly parts: RunPayerParts) {}

  /** Does everything that is left to do for a run. Throws the signal's reason when it aborts. */
  async carryOut(run: OwnedRun, signal: AbortSignal): Promise<void> {
    const begun = await this.load(run);
    if (begun?.record.status === 'running') await this.finish(run, begun, signal);
    const { marks = [], record } = (await this.load(run)) ?? {};
    for (const [index, mark] of marks.entries()) {
      if (record?.marks[index]?.applied_at !== null) continue;
      const counts = await markPayouts(
        {
          ...this.parts,
          ...run,
          shownAtHead: (projection) => this.shownAtHead(projection, signal),
        },
        { ...mark, number: index + 1 },
        signal,
      );
      await this.record(run, { type: 'mark_applied', mark: index + 1, ...counts });
    }
  }

  /**
   * Pays, and counts the payouts that name the run, not the steps of the walk, which may be
   * repeated.
   */
  private async finish(run: OwnedRun, begun: PresentPayoutRun, signal: AbortSignal): Promise<void> {
    await this.shownAtHead(balancesProjection, signal);
    const skipped = await this.walk(run, begun, signal);
    await this.shownAtHead(payoutRunsProjection, signal);
    const { store, log } = this.parts;
    const { value } = await store.get(payoutRunsProjection, log.id, 'payout_runs', run.run_id);
    if (value === undefined) throw new Error(`the read model lacks payout run ${run.run_id}`);
    // a decoding boundary: the projection wrote this document
    const { totals } = value as PayoutRunDocument;
    const created = totals.reduce((sum, { payouts }) => sum + payouts, 0);
    await this.record(run, { type: 'finish', created, skipped, totals });
  }

  private async walk(
    run: OwnedRun,
    begun: PresentPayoutRun,
    signal: AbortSignal,
  ): Promise<SkippedBalances> {
    const { store, log, throttle } = this.parts;
    const skipped: Record<SkipReason, number> = { ...noneSkipped };
    const find = (projection: ProjectionSpec, query: Query) =>
      store.find(projection, log.id, 'balances', query);
    for await (const page of openBalances({ find, accountId: run.accountId }, begun.record)) {
      signal.throwIfAborted();
      if (!(await this.isPaying(run))) break;
      const pay = (balance: BalanceDocument) => this.pay(run, begun, balance);
      const results = await throttle.step(() => Promise.allSettled(page.map(pay)));
      for (const result of results) {
        if (result.status === 'rejected') throw result.reason;
        if (result.value !== undefined) skipped[result.value] += 1;
      }
    }
    return skipped;
  }

  /**
   * Returns why a balance is skipped; undefined if it has a payout of this run. The payout is the
   * same when the walk is repeated, so it has the description with which the run was started.
   */
  private async pay(
    { run_id, accountId }: OwnedRun,
    { started }: PresentPayoutRun,
    balance: BalanceDocument,
  ): Promise<SkipReason | undefined> {
    const { description } = started.after;
    const payout = {
      ...payoutOfRun(started, balance),
      ...(description !== null && { description }),
    };
    const context = newContext({ accountId, actor: ledgerName, requestId: run_id });
    try {
      await this.parts.payouts.createForRun({ run_id, balance_id: balance.id }, payout, context);
      return undefined;
    } catch (error) {
      return skipReasonOf(error);
    }
  }

  /** A run that another worker has finished, or that is being canceled, pays no one else. */
  private async isPaying(run: OwnedRun): Promise<boolean> {
    const state = await this.load(run);
    return (
      state?.record.status === 'running' && state.marks.every(({ status }) => status !== 'canceled')
    );
  }

  private async load({ run_id }: OwnedRun): Promise<PresentPayoutRun | undefined> {
    const stream = streams.payout_run(run_id);
    const { state } = await this.parts.commands.load(payoutRunDecider, stream);
    return state.kind === 'none' ? undefined : state;
  }

  private async record({ run_id, accountId }: OwnedRun, outcome: RunOutcome): Promise<void> {
    await this.parts.commands.run({
      stream: streams.payout_run(run_id),
      decider: payoutRunDecider,
      context: newContext({ accountId, actor: ledgerName, requestId: run_id }),
      command: (_, recordedAt): PayoutRunCommand => ({ run_id, recordedAt, ...outcome }),
    });
  }

  /**
   * Waits until posting has reached what is now the end of the log, and until a projection shows
   * that. Posting also finishes what a killed worker had reserved.
   */
  private async shownAtHead(projection: ProjectionSpec, signal: AbortSignal): Promise<void> {
    const { log, store } = this.parts;
    const head = await log.head();
    if (head === undefined) return;
    await this.reached(postingProjection, head, signal);
    const { postedPosition } = await readPostedThrough(store, log.id);
    await this.reached(projection, laterOf(head, postedPosition) ?? head, signal);
  }

  private async reached(
    projection: ProjectionSpec,
    position: Position,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, log } = this.parts;
    const once = () =>
      store.waitForPosition(projection, log.id, position, { timeoutMs: 1_000, signal });
    while (!(await once())) signal.throwIfAborted();
  }
}

type RunOutcome = DistributiveOmit<
  Extract<PayoutRunCommand, { type: 'finish' | 'mark_applied' }>,
  'run_id' | 'recordedAt'
>;
/** Like `Omit`, for each member of a union. */
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

const noneSkipped: SkippedBalances = {
  nothing_payable: 0,
  not_approved: 0,
  payout_hold: 0,
  below_minimum: 0,
  too_many_open_payouts: 0,
  too_many_ranges: 0,
};
