import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountId } from '@refledger/contracts';
import { KeyedMutex } from './keyed-mutex.js';

/** The clock of `performance.now`, and a way to wait by it, both in milliseconds. */
export interface ThrottleClock {
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

/**
 * Bounds how much of the thread's time long work takes. The work of one account is done one after
 * another, so an account with much work holds up only its own. The work of different accounts takes
 * turns with every step, and rests between two steps.
 */
export class Throttle {
  private readonly byAccount = new KeyedMutex();
  private readonly turns = new KeyedMutex();
  private restUntil = Number.NEGATIVE_INFINITY;

  constructor(
    /** Milliseconds of rest per millisecond of work. */
    private readonly restPerWork: number,
    private readonly clock: ThrottleClock = { now: () => performance.now(), sleep },
  ) {}

  ofAccount<T>(account: AccountId, work: () => Promise<T>): Promise<T> {
    return this.byAccount.run(account, work);
  }

  step<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.run('step', () => this.afterRest(work));
  }

  private async afterRest<T>(work: () => Promise<T>): Promise<T> {
    const rest = this.restUntil - this.clock.now();
    if (rest > 0) await this.clock.sleep(rest);
    const start = this.clock.now();
    try {
      return await work();
    } finally {
      const end = this.clock.now();
      this.restUntil = end + this.restPerWork * (end - start);
    }
  }
}
