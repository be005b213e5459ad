import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountId } from '@refledger/contracts';
import { KeyedMutex } from '@refledger/application';

/** Milliseconds of rest per millisecond of work: a run leaves a third of the time to others. */
const restPerWork = 0.5;

/**
 * Bounds what runs take from everything else. Those of one account are carried out one after
 * another, so an account with many runs holds up only its own. Those of different accounts take
 * turns with every page, and rest between two pages.
 */
export class RunThrottle {
  private readonly byAccount = new KeyedMutex();
  private readonly turns = new KeyedMutex();
  private restUntil = Number.NEGATIVE_INFINITY;

  ofAccount<T>(account: AccountId, work: () => Promise<T>): Promise<T> {
    return this.byAccount.run(account, work);
  }

  page<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.run('page', () => this.afterRest(work));
  }

  private async afterRest<T>(work: () => Promise<T>): Promise<T> {
    const rest = this.restUntil - performance.now();
    if (rest > 0) await sleep(rest);
    const begin = performance.now();
    try {
      return await work();
    } finally {
      const end = performance.now();
      this.restUntil = end + restPerWork * (end - begin);
    }
  }
}
