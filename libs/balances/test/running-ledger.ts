import {
  comparePositions,
  derivedId,
  newId,
  streams,
  type NewPayoutRun,
  type PayoutRecord,
  type PayoutRunRecord,
  type RunId,
  type UpdatePayoutRun,
} from '@refledger/contracts';
import { CommandHandler, newContext } from '@refledger/application';
import { payoutDecider, payoutRunDecider, type PayoutRunCommand } from '@refledger/domain';
import type { EventLog, LogBatch } from '@refledger/event-log';
import { Projector, projections } from '@refledger/projections';
import type { ReadStore } from '@refledger/read-store';
import { waitFor } from '@refledger/testing';
import { PayoutRuns, type PayoutRunsOptions } from '../src/index.js';
import { allOf, silent, type Embedded, type Running } from './embedded.js';
import { payday } from './payees.js';
import { expectPayoutLaws } from './payout-laws.js';

/** A projector and posting that run on a log, and the workers of its payout runs. */
export class RunningLedger {
  private readonly commands: CommandHandler;
  private readonly stop = new AbortController();
  private readonly ended: Promise<unknown>[] = [];
  private readonly posting: Running;

  constructor(
    private readonly log: EventLog,
    private readonly store: ReadStore,
    embedded: Embedded,
  ) {
    this.commands = new CommandHandler(log, { now: () => payday });
    const projector = new Projector({ log, store, projections, logger: silent });
    this.ended.push(projector.run((batch) => batch.apply(), this.stop.signal));
    this.posting = embedded.run({ log, store, now: () => payday });
  }

  /** Ends the projector and every worker. */
  async close(): Promise<void> {
    this.stop.abort();
    await Promise.all(this.ended);
  }

  /** Starts a worker. It sees the log through `on`. */
  work(on: EventLog = this.log, options: Partial<PayoutRunsOptions> = {}): Worker {
    const stop = new AbortController();
    const runs = new PayoutRuns({
      log: on,
      store: this.store,
      logger: silent,
      now: () => payday,
      // several workers run here, each as if it held the lease
      leaseMs: 60_000,
      ...options,
    });
    const ended = runs.run(
      (batch: LogBatch) => runs.handle(batch),
      AbortSignal.any([stop.signal, this.stop.signal]),
    );
    this.ended.push(ended);
    return {
      status: () => runs.status(),
      stop: async () => {
        stop.abort();
        await ended;
      },
    };
  }

  async start(run: NewPayoutRun = {}): Promise<RunId> {
    const id = newId('run');
    const position = await this.log.head();
    if (position === undefined) throw new Error('the log is empty');
    await this.change(id, { type: 'start', run, position });
    return id;
  }

  async update(id: RunId, patch: UpdatePayoutRun): Promise<void> {
    await this.change(id, { type: 'update', patch });
  }

  async run(id: RunId): Promise<PayoutRunRecord> {
    const { state } = await this.commands.load(payoutRunDecider, streams.payout_run(id));
    if (state.kind === 'none') throw new Error(`there is no run ${id}`);
    return state.record;
  }

  /** The run once it is finished and all its marks are applied. */
  async done(id: RunId): Promise<PayoutRunRecord> {
    return waitFor(async () => {
      const run = await this.run(id);
      const isDone =
        run.status === 'finished' && run.marks.every(({ applied_at }) => applied_at !== null);
      return isDone && run;
    });
  }

  /** The payouts that name a run, from their own streams. */
  async payouts(id: RunId): Promise<readonly PayoutRecord[]> {
    const payouts: PayoutRecord[] = [];
    for (const { type, stream, data } of await allOf(this.log)) {
      if (type !== 'payout.created' || (data as { run_id: string | null }).run_id !== id) continue;
      const { state } = await this.commands.load(payoutDecider, stream);
      if (state.kind === 'present') payouts.push(state.record);
    }
    return payouts;
  }

  /** Checks the laws once posting has handled every event that is in the log now. */
  async expectLaws(): Promise<void> {
    const head = await this.log.head();
    await waitFor(() => {
      const { position } = this.posting.status();
      return (
        head === undefined || (position !== undefined && comparePositions(position, head) >= 0)
      );
    });
    await expectPayoutLaws(this.log);
  }

  private async change(run_id: RunId, change: Change): Promise<void> {
    await this.commands.run({
      stream: streams.payout_run(run_id),
      decider: payoutRunDecider,
      context: newContext({ accountId: 'acct_1', actor: derivedId('key', '1'), requestId: 'r' }),
      command: (_, recordedAt): PayoutRunCommand => ({ run_id, recordedAt, ...change }),
    });
  }
}

/** A worker of payout runs, until it is stopped. */
export interface Worker {
  readonly status: () => ReturnType<PayoutRuns['status']>;
  readonly stop: () => Promise<void>;
}

type Change = DistributiveOmit<
  Extract<PayoutRunCommand, { type: 'start' | 'update' }>,
  'run_id' | 'recordedAt'
>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
