import { EventEmitter } from 'node:events';
import type { EndpointId } from '@refledger/contracts';
import { repeatOnClock, type Clock } from '@refledger/webhook-endpoints';
import type { ClaimableFrom, SchedulerStore } from '@refledger/delivery-store';
import type { TestSender } from './test-sender.js';

export interface RequestWatchOptions {
  readonly store: Pick<SchedulerStore, 'takeRequested'>;
  readonly tests: Pick<TestSender, 'send' | 'halt'>;
  readonly clock: Pick<Clock, 'schedule'>;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Polls twice per second for requested deliveries, since nothing else announces them soon. The
 * dispatcher that finds them first sends tests immediately. For the others, it emits `found` with
 * their endpoints, which may have requested deliveries that wait or are held.
 */
export class RequestWatch extends EventEmitter<{
  found: [endpoints: readonly EndpointId[], from: ClaimableFrom];
}> {
  private running = false;
  private stop: (() => void) | undefined;

  constructor(private readonly options: RequestWatchOptions) {
    super();
  }

  begin(): void {
    this.running = true;
    this.stop = repeatOnClock(this.options.clock, () => this.look(), intervalMs);
  }

  halt(): void {
    this.running = false;
    this.stop?.();
    this.options.tests.halt();
  }

  /** Resolves to the time until the next look, in milliseconds. Never rejects. */
  private async look(): Promise<number> {
    const { store, tests, logRetry } = this.options;
    try {
      const endpoints = await store.takeRequested();
      // what was taken is sent even if the watch was halted and started again meanwhile
      if (!this.running || endpoints.length === 0) return intervalMs;
      tests.send(endpoints);
      for (const from of ['waiting', 'held'] as const) this.emit('found', endpoints, from);
      return intervalMs;
    } catch (error) {
      logRetry('the search for requested deliveries', error);
      return afterFailureMs;
    }
  }
}

const intervalMs = 500;
const afterFailureMs = 5_000;
