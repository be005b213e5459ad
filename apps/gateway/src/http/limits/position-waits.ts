import type { Reader, ReadWaits } from '@refledger/application';
import { DomainError } from '@refledger/contracts';
import type { Metrics } from '@refledger/platform';
import type { ConcurrencyLimit } from './concurrency-limit.js';

/**
 * Each change to a read model is compared with the position that each of these reads waits for. A
 * read usually waits for milliseconds, so these limits allow a few thousand reads per second for
 * one key.
 */
const defaults = {
  /** The maximum number of reads that wait at a time. */
  total: 1_024,
  perAccount: 512,
  perKey: 256,
};

export interface PositionWaitsParts {
  readonly work: Pick<ConcurrencyLimit, 'runUncounted'>;
  readonly metrics: Pick<Metrics, 'readsWaiting' | 'requestsRejected'>;
  readonly limits?: typeof defaults;
}

/**
 * Limits how many reads wait for a position, or for their turn to read many events
 * (`ThrottledReads`): in total, per account and per key.
 */
export class PositionWaits implements ReadWaits {
  private readonly parts: Required<PositionWaitsParts>;
  /** How many reads of each key and account are waiting. */
  private readonly counts = new Map<string, number>();
  /** What ends each wait in progress. */
  private readonly ends = new Set<() => void>();
  private isEnded = false;

  constructor(parts: PositionWaitsParts) {
    this.parts = { limits: defaults, ...parts };
  }

  /**
   * Waits without counting as a request in progress. Throws `read_model_behind` immediately if too
   * many reads are waiting.
   */
  async run<T>({ keyId, accountId }: Reader, wait: () => Promise<T>): Promise<T> {
    const { work, metrics, limits } = this.parts;
    const hasRoom =
      metrics.readsWaiting.count < limits.total &&
      this.countOf(accountId) < limits.perAccount &&
      this.countOf(keyId) < limits.perKey;
    if (!hasRoom) {
      metrics.requestsRejected.inc({ kind: 'wait' });
      throw new DomainError('read_model_behind', 'Too many reads are waiting. Retry later.');
    }
    metrics.readsWaiting.count++;
    this.add(keyId, 1);
    this.add(accountId, 1);
    try {
      return await work.runUncounted('read', () => this.unlessEnded(wait));
    } finally {
      metrics.readsWaiting.count--;
      this.add(keyId, -1);
      this.add(accountId, -1);
    }
  }

  /** Ends every wait with `read_model_behind`, since the service ends. */
  end(): void {
    this.isEnded = true;
    for (const end of this.ends) end();
  }

  private async unlessEnded<T>(wait: () => Promise<T>): Promise<T> {
    if (this.isEnded) throw shuttingDown();
    let end: () => void = () => undefined;
    const ended = new Promise<never>((_resolve, reject) => (end = () => reject(shuttingDown())));
    this.ends.add(end);
    return Promise.race([wait(), ended]).finally(() => this.ends.delete(end));
  }

  private countOf(party: string): number {
    return this.counts.get(party) ?? 0;
  }

  private add(party: string, change: 1 | -1): void {
    const count = this.countOf(party) + change;
    if (count === 0) this.counts.delete(party);
    else this.counts.set(party, count);
  }
}

const shuttingDown = (): DomainError =>
  new DomainError('read_model_behind', 'The service is shutting down. Retry later.');
