import { Readable } from 'node:stream';
import { DomainError } from '@refledger/contracts';
import type { Reader } from '@refledger/application';
import type { Metrics } from '@refledger/platform';
import { AccountSlots } from '../http/limits/account-slots.js';

/** A response that is sent as it is read keeps some 100 KB in memory for as long as it takes. */
const defaults = {
  /** The maximum number of them that are sent at a time. */
  total: 64,
  perAccount: 8,
};

/** Limits how many ledgers and statements are sent at a time: in total, and per account. */
export class LedgerStreams {
  private readonly slots: AccountSlots;

  constructor(
    private readonly metrics: Pick<Metrics, 'requestsRejected'>,
    limits = defaults,
  ) {
    this.slots = new AccountSlots(limits);
  }

  /**
   * Returns a stream of the text, which is read only as fast as the client takes it. Throws
   * `unavailable` if too many are being sent.
   */
  send({ accountId }: Reader, text: AsyncIterable<string>): Readable {
    const release = this.slots.take(accountId, () => this.refusal());
    return Readable.from(text, { objectMode: false }).once('close', release);
  }

  private refusal(): DomainError {
    this.metrics.requestsRejected.inc({ kind: 'read' });
    return new DomainError(
      'unavailable',
      'Too many ledgers and statements are being sent. Retry later.',
    );
  }
}
