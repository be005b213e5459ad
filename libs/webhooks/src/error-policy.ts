import { OffsetNotFound } from '@refledger/event-bus';
import { backoffMs, UnreadableEvent } from '@refledger/event-log';
import { sleepOnClock, type Clock } from './clock.js';
import { ForeignOffset } from './stores/delivery-store.js';
import { dispatcherName } from './dispatcher-name.js';
import type { DispatcherState } from './dispatcher-state.js';
import type { OffsetWriter } from './planning/offset-writer.js';
import type { RetryLog } from './retry-log.js';
import type { StartupGuard } from './planning/startup-guard.js';

export interface ErrorPolicyOptions {
  readonly clock: Clock;
  readonly state: Pick<DispatcherState, 'assign' | 'waitFor'>;
  readonly guard: Pick<StartupGuard, 'decided' | 'look' | 'isSkipped'>;
  readonly offsets: Pick<OffsetWriter, 'forget'>;
  readonly retryLog: Pick<RetryLog, 'failed'>;
}

/**
 * Decides what an error means. Where nothing else helps, the dispatcher stops until an operator
 * decides. All other errors are retried after a backoff.
 */
export class ErrorPolicy {
  private failures = 0;

  constructor(private readonly options: ErrorPolicyOptions) {}

  /** Resolves when the work may be tried again, or when `signal` aborts. */
  async meet(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, state, guard, offsets, retryLog } = this.options;
    if (error instanceof OffsetNotFound || error instanceof ForeignOffset) {
      state.assign(false);
      offsets.forget();
      await this.waitForResume(error.message, signal, () => guard.decided());
    } else if (error instanceof UnreadableEvent) {
      await this.waitForSkip(error, signal);
    } else {
      retryLog.failed('following the events', error);
      await sleepOnClock(clock, backoffMs(++this.failures, clock.random()), signal);
    }
  }

  /** Repeats `work` until it succeeds or `signal` aborts. */
  async insist(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        return await work();
      } catch (error) {
        if (!signal.aborted) await this.meet(error, signal);
      }
    }
  }

  waitForResume(
    reason: string,
    signal: AbortSignal,
    decided: () => Promise<boolean>,
  ): Promise<void> {
    return this.options.state.waitFor(
      `${reason}. Decide where it goes on: ops resume ${dispatcherName} --from start|head|<position>`,
      signal,
      decided,
    );
  }

  waitForSkip(
    error: UnreadableEvent,
    signal: AbortSignal,
    how?: { readonly goesOn: boolean },
  ): Promise<void> {
    const { state, guard } = this.options;
    const { id, position } = error.event;
    return state.waitFor(
      `${error.message}. Mend it, or leave it out: ops skip ${dispatcherName} ${position}`,
      signal,
      async () => {
        await guard.look();
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
