import { DomainError } from '@refledger/contracts';
import type { Metrics } from '@refledger/platform';
import type { Caller } from './http/caller.js';
import type { ConcurrencyLimit } from './http/concurrency-limit.js';

export interface WaitLimits {
  /** Most reads that wait at once. */
  readonly inAll: number;
  readonly ofAccount: number;
  readonly ofKey: number;
}

/**
 * Each change of a read model is compared with what every one of them waits for. A read waits for
 * milliseconds as a rule, so these are enough for some thousand reads a second of one key.
 */
const defaults: WaitLimits = { inAll: 1_024, ofAccount: 512, ofKey: 256 };

export interface PositionWaitsParts {
  readonly work: Pick<ConcurrencyLimit, 'aside'>;
  readonly metrics: Pick<Metrics, 'readsWaiting' | 'requestsRejected'>;
  readonly limits?: WaitLimits;
}

/** The reads that wait for a position: bounded in all, and by a share of each key and account. */
export class PositionWaits {
  private readonly parts: Required<PositionWaitsParts>;
  /** How many wait of each key and account that has some. */
  private readonly counts = new Map<string, number>();

  constructor(parts: PositionWaitsParts) {
    this.parts = { limits: defaults, ...parts };
  }

  /** Waits beside the work of others. Throws `read_model_behind` at once when too many wait. */
  async run<T>({ keyId, accountId }: Caller, wait: () => Promise<T>): Promise<T> {
    const { work, metrics, limits } = this.parts;
    if (!this.hasRoom(keyId, accountId, limits)) {
      metrics.requestsRejected.inc({ kind: 'wait' });
      throw new DomainError(
        'read_model_behind',
        'too many reads wait for the read model already. Try again in a moment.',
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
