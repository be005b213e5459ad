import { PlaceNotFound } from '@refledger/event-bus';
import { backoffMs, UnreadableEvent, type FollowerLogger } from '@refledger/event-log';
import { pause, type Clock } from './clock.js';
import { ForeignPlace } from './delivery-store.js';
import { dispatcherName, type FollowerAdmission } from './follower-admission.js';
import type { Standing } from './standing.js';

export interface ObstaclesOptions {
  readonly clock: Clock;
  readonly logger: FollowerLogger;
  readonly standing: Pick<Standing, 'assign' | 'waitFor'>;
  readonly admission: Pick<FollowerAdmission, 'decided' | 'look' | 'isSkipped'>;
  /** The place to go on from is not the bus's. */
  readonly onPlaceLost: () => void;
}

/** What keeps the dispatcher from going on. Where nothing else helps an operator decides, and it waits loudly; all else is tried again after a pause. */
export class Obstacles {
  private failures = 0;

  constructor(private readonly options: ObstaclesOptions) {}

  /** Resolves when it may be tried again, or `signal` aborts. */
  async meet(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, standing, admission, onPlaceLost } = this.options;
    if (error instanceof PlaceNotFound || error instanceof ForeignPlace) {
      standing.assign(false);
      onPlaceLost();
      await this.waitForResume(error.message, signal, () => admission.decided());
    } else if (error instanceof UnreadableEvent) {
      await this.waitForSkip(error, signal);
    } else {
      this.failed('following the events', error);
      await pause(clock, backoffMs(++this.failures, clock.random()), signal);
    }
  }

  /** Until `work` succeeds, or `signal` aborts. */
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
    return this.options.standing.waitFor(
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
    const { standing, admission } = this.options;
    const { id, position } = error.event;
    return standing.waitFor(
      `${error.message}. Mend it, or leave it out: ops skip ${dispatcherName} ${position}`,
      signal,
      async () => {
        await admission.look();
        return admission.isSkipped(id);
      },
      how,
    );
  }

  /** What is tried again. */
  failed(what: string, error: unknown): void {
    this.options.logger.warn({ err: error }, `${dispatcherName}: ${what} failed; trying again`);
  }

  /** It goes on: after the next failure the pause is short again. */
  overcome(): void {
    this.failures = 0;
  }
}
