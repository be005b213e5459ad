import { setTimeout as sleep } from 'node:timers/promises';
import { sleepOnClock, type Clock } from '@refledger/webhook-endpoints';
import type { AttemptResult, ClaimedDelivery, SchedulerStore } from '@refledger/delivery-store';
import type { AttemptEnd } from '../sending/attempt-sender.js';
import type { AttemptReporter } from './attempt-reporter.js';

export interface OutcomeWriterOptions {
  readonly store: Pick<SchedulerStore, 'recordOutcomes'>;
  readonly reporter: Pick<AttemptReporter, 'report'>;
  readonly holder: string;
  readonly clock: Clock;
  /**
   * Aborts when the service is forced to end. Outcomes that are not written by then show as
   * `unknown` after the next start.
   */
  readonly signal: AbortSignal;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Writes outcomes in groups, since every write is an fsync and no request waits for a write. A
 * group gathers for as long as the last write took, but for at least 1 ms and at most 25 ms. Groups
 * are small, since new deliveries wait for the store meanwhile, unless many outcomes wait.
 */
export class OutcomeWriter {
  private waiting: { readonly result: AttemptResult; readonly written: () => void }[] = [];
  /** How many outcomes wait or are being written. */
  private unwritten = 0;
  private writing = false;
  private lastMs = 0;

  constructor(private readonly options: OutcomeWriterOptions) {}

  /**
   * Whether so many outcomes are not written that no more requests should begin: if the service is
   * killed, all of them are sent again.
   */
  get isBehind(): boolean {
    return this.unwritten >= maxUnwritten;
  }

  /**
   * Resolves once the outcome is durable and the attempt reported, or the outcome was abandoned
   * because the service is forced to end.
   */
  async record(delivery: ClaimedDelivery, attempted: AttemptEnd): Promise<void> {
    await new Promise<void>((written) => {
      this.waiting.push({ result: attempted.result, written });
      this.unwritten += 1;
      if (this.writing) return;
      this.writing = true;
      void this.write();
    });
    this.options.reporter.report(delivery, attempted);
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      if (this.waiting.length < fullGroup)
        await sleep(Math.min(Math.max(this.lastMs, 1), maxLingerMs));
      const quarter = Math.floor(this.waiting.length / 4);
      const group = this.waiting.splice(0, Math.max(fullGroup, Math.min(quarter, largestGroup)));
      const begun = performance.now();
      await this.persist(group.map(({ result }) => result));
      this.lastMs = performance.now() - begun;
      this.unwritten -= group.length;
      for (const { written } of group) written();
    }
    this.writing = false;
  }

  private async persist(results: readonly AttemptResult[]): Promise<void> {
    const { store, holder, clock, signal, logRetry } = this.options;
    for (let wait = 50; !signal.aborted; wait = Math.min(wait * 2, 5_000)) {
      try {
        return await store.recordOutcomes(results, holder);
      } catch (error) {
        logRetry('writing outcomes', error);
        await sleepOnClock(clock, wait * (0.5 + clock.random() / 2), signal);
      }
    }
  }
}

const maxLingerMs = 25;
const fullGroup = 16;
/** MongoDB writes up to this many at once. */
const largestGroup = 100;
const maxUnwritten = 500;
