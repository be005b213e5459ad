import { DomainError } from '@refledger/contracts';
import type { Metrics } from '@refledger/platform';
import type { Caller } from './http/caller.js';
import type { ConcurrencyLimit } from './http/concurrency-limit.js';

export interface WaitLimits {
  /** The most reads that wait at a time. */
  readonly inAll: number;
  readonly ofAccount: number;
  readonly ofKey: number;
}

/**
 * Each change of a read model is compared with the position that each of these reads waits for. A
 * read usually waits for milliseconds, so these limits allow some thousand reads per second for one
 * key.
 */
const defaults: WaitLimits = { inAll: 1_024, ofAccount: 512, ofKey: 256 };

export interface PositionWaitsParts {
  readonly work: Pick<ConcurrencyLimit, 'aside'>;
  readonly metrics: Pick<Metrics, 'readsWaiting' | 'requestsRejected'>;
  readonly limits?: WaitLimits;
}

/** Bounds the reads that wait for a position: in total, per account and per key. */
export class PositionWaits {
  private readonly parts: Required<PositionWaitsParts>;
  /** How many reads of each key and account are waiting. */
  private readonly counts = new Map<string, number>();

  constructor(parts: PositionWaitsParts) {
    this.parts = { limits: defaults, ...parts };
  }

  /**
   * Waits without counting as a request in progress. Throws `read_model_behind` immediately if too
   * many reads wait.
   */
  async run<T>({ keyId, accountId }: Caller, wait: () => Promise<T>): Promise<T> {
    const { work, metrics, limits } = this.parts;
    if (!this.hasRoom(keyId, accountId, limits)) {
      metrics.requestsRejected.inc({ kind: 'wait' });
      throw new DomainError(
        'read_model_behind',
        'Too many reads are waiting for the read model. Retry later.',
      );
    }
    metrics.readsWaiting.count++;
    this.add(keyId, 1);
    this.add(accountId, 1);
    try {
      return await work.aside(wait);
    } finally {
      metrics.readsWaiting.count--;
      this.add(keyId, -1);
      this.add(accountId, -1);
    }
  }

  private hasRoom(
    keyId: string,
    accountId: string,
    { inAll, ofAccount, ofKey }: WaitLimits,
  ): boolean {
    const { count } = this.parts.metrics.readsWaiting;
    return count < inAll && this.countOf(accountId) < ofAccount && this.countOf(keyId) < ofKey;
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
