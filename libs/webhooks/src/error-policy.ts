import { OffsetNotFound } from '@refledger/event-bus';
import { backoffMs, UnreadableEvent, type EventLog } from '@refledger/event-log';
import { sleepOnClock, type Clock, dispatcherName } from '@refledger/webhook-endpoints';
import { ForeignOffset } from '@refledger/delivery-store';
import type { DispatcherState } from './dispatcher-state.js';
import type { OffsetWriter } from './planning/offset-writer.js';
import type { StartupGuard } from './planning/startup-guard.js';

export interface ErrorPolicyOptions {
  readonly log: Pick<EventLog, 'availability'>;
  readonly clock: Clock;
  readonly state: Pick<DispatcherState, 'assign' | 'isDecided' | 'waitFor'>;
  readonly guard: Pick<StartupGuard, 'waitingAt' | 'poll' | 'isSkipped'>;
  readonly offsets: Pick<OffsetWriter, 'forget'>;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Decides what an error means. Where nothing else helps, the dispatcher stops until an operator
 * decides. All other errors are retried after a backoff.
 */
export class ErrorPolicy {
  private failures = 0;
  /** That of the log when the current attempt began. */
  private recovery: AbortSignal | undefined;

  constructor(private readonly options: ErrorPolicyOptions) {
    this.recovery = options.log.availability?.recovery;
  }

  /** Resolves when the work may be tried again, or when `signal` aborts. */
  async handle(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, state, guard, offsets, logRetry } = this.options;
    if (error instanceof OffsetNotFound || error instanceof ForeignOffset) {
      state.assign(false);
      offsets.forget();
      const decided = guard.waitingAt(error.offset.partition);
      // records the stop before it is announced: operators then decide about it
      if (!(await state.isDecided(decided)))
        await this.waitForResume(error.message, signal, decided);
    } else if (error instanceof UnreadableEvent) {
      await this.waitForSkip(error, signal);
    } else {
      logRetry('following the events', error);
      const until = this.recovery === undefined ? signal : AbortSignal.any([signal, this.recovery]);
      await sleepOnClock(clock, backoffMs(++this.failures, clock.random()), until);
    }
    this.recovery = this.options.log.availability?.recovery;
  }

  /** Repeats `work` until it succeeds or `signal` aborts. */
  async retryUntilDone(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        return await work();
      } catch (error) {
        if (!signal.aborted) await this.handle(error, signal);
      }
    }
  }

  waitForResume(
    reason: string,
    signal: AbortSignal,
    decided: () => Promise<boolean>,
  ): Promise<void> {
    return this.options.state.waitFor(
      `${reason}. Decide where it continues: ops resume ${dispatcherName} --from start|head|<position>`,
      signal,
      decided,
    );
  }

  waitForSkip(
    error: UnreadableEvent,
    signal: AbortSignal,
    how?: { readonly keepsSending: boolean },
  ): Promise<void> {
    const { state, guard } = this.options;
    const { id, position } = error.event;
    return state.waitFor(
      `${error.message}. Fix the cause, or skip the event: ops skip ${dispatcherName} ${position}`,
      signal,
      async () => {
        await guard.poll();
        return guard.isSkipped(id);
      },
      how,
    );
  }

  /** Resets the backoff after a success. */
  succeeded(): void {
    this.failures = 0;
  }
}
