import { Readable } from 'node:stream';
import type { Reader } from '@refledger/application';
import type { Metrics } from '@refledger/platform';
import { AccountSlots, refusalOf } from '../http/limits/account-slots.js';

/** An export keeps some 100 KB in memory for as long as it takes. */
const defaults = { total: 64, perAccount: 2 };

/** Limits how many exports are sent at a time: in total, and per account. */
export class Exports {
  private readonly slots: AccountSlots;

  constructor(
    private readonly metrics: Pick<Metrics, 'requestsRejected'>,
    private readonly limits = defaults,
  ) {
    this.slots = new AccountSlots(limits);
  }

  /**
   * Returns a stream of the text, which is read only as fast as the client takes it. Throws
   * `too_many_exports` if the account is already reading too many, and `unavailable` if all
   * accounts together are.
   */
  send(reader: Reader, text: AsyncIterable<string>): Readable {
    const release = this.take(reader);
    return Readable.from(text, { objectMode: false }).once('close', release);
  }

  /**
   * Returns a stream of a text that is complete before its first byte is sent. Holds one of the
   * account's exports from now on. Throws like `send`, and what `gather` throws.
   */
  async sendGathered(reader: Reader, gather: () => Promise<string>): Promise<Readable> {
    const release = this.take(reader);
    try {
      return Readable.from([await gather()], { objectMode: false }).once('close', release);
    } catch (error) {
      release();
      throw error;
    }
  }

  private take({ accountId }: Reader): () => void {
    const onTotal = (): void => this.metrics.requestsRejected.inc({ kind: 'read' });
    return this.slots.take(accountId, refusalOf('exports', this.limits, onTotal));
  }
}
