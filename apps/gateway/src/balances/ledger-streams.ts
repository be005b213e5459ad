import { Readable } from 'node:stream';
import { DomainError } from '@refledger/contracts';
import type { Reader } from '@refledger/application';
import type { Metrics } from '@refledger/platform';

/** A response that is sent as it is read keeps some 100 KB in memory for as long as it takes. */
const defaults = {
  /** The maximum number that are sent at a time. */
  total: 64,
  perAccount: 8,
};

/** Bounds the ledgers and statements that are sent at a time: in total, and per account. */
export class LedgerStreams {
  private readonly open = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly metrics: Pick<Metrics, 'requestsRejected'>,
    private readonly limits = defaults,
  ) {}

  /**
   * Returns a stream of the text, which is read only as fast as the client takes it. Throws
   * `unavailable` if too many are being sent.
   */
  send({ accountId }: Reader, text: AsyncIterable<string>): Readable {
    const own = this.open.get(accountId) ?? 0;
    if (this.total >= this.limits.total || own >= this.limits.perAccount) {
      this.metrics.requestsRejected.inc({ kind: 'read' });
      throw new DomainError(
        'unavailable',
        'Too many ledgers and statements are being sent. Retry later.',
      );
    }
    this.count(accountId, 1);
    return Readable.from(text, { objectMode: false }).once('close', () =>
      this.count(accountId, -1),
    );
  }

  private count(account: string, change: 1 | -1): void {
    this.total += change;
    const own = (this.open.get(account) ?? 0) + change;
    if (own === 0) this.open.delete(account);
    else this.open.set(account, own);
  }
}
