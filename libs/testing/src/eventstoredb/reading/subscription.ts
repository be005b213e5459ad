import { once } from 'node:events';
import type { Double } from '../double.js';
import { filterOf, startOf, type ReadOptions } from './read-options.js';
import {
  caughtUp,
  checkpoint,
  confirmation,
  eventOf,
  pageSize,
  send,
  type ReadCall,
} from './read-response.js';
import { connectionLost, consumerTooSlow, invalidPosition } from '../rpc-errors.js';
import type { StoredRecord } from '../sqlite/double-store.js';

/** Sends the matching events of all streams, and then each new one as it is committed. */
export const followAll = async (
  double: Double,
  call: ReadCall,
  options: ReadOptions,
): Promise<void> => {
  const subscription = new Subscription(double, call, options);
  await send(call, confirmation());
  await subscription.run();
};

class Subscription {
  /** The position of the last record that was considered. */
  private after: number;
  private considered = 0;
  /** The number of events committed since the subscription last caught up. */
  private committed = 0;
  private isLive = false;
  private isSending = false;
  private readonly ended = new AbortController();
  private readonly matches: (record: StoredRecord) => boolean;
  /** A checkpoint is sent after this many records, if the record there does not match. */
  private readonly checkpointInterval: number;

  constructor(
    private readonly double: Double,
    private readonly call: ReadCall,
    options: ReadOptions,
  ) {
    const { store } = double;
    this.after = options.getAll()?.hasEnd() === true ? (store.head() ?? 0) : startOf(options, -1);
    if (this.after > 0 && !store.isPosition(this.after)) throw invalidPosition();
    this.matches = filterOf(options);
    this.checkpointInterval =
      32 * Math.max(1, options.getFilter()?.getCheckpointintervalmultiplier() ?? 1);
  }

  /** Resolves once the call is over. Throws the error with which the server ended it. */
  async run(): Promise<void> {
    const { groups } = this.double;
    const endLate = (): void => this.ended.abort(connectionLost());
    const noteCommit = (count: number): void => this.noteCommit(count);
    groups.on('leaderless', endLate);
    this.call.once('canceled', () => this.ended.abort());
    this.call.once('close', () => this.ended.abort());
    groups.on('committed', noteCommit);
    try {
      while (!this.ended.signal.aborted) {
        const page = this.double.store.readAll(this.after + 1, false, pageSize);
        if (page.length > 0) await this.sendPage(page);
        else await this.waitForMore();
      }
    } finally {
      groups.off('committed', noteCommit);
      groups.off('leaderless', endLate);
    }
    const reason: unknown = this.ended.signal.reason;
    // an abort without a reason comes from the client
    if (reason instanceof Error && reason.name === 'Error') throw reason;
  }

  private noteCommit(count: number): void {
    this.committed += count;
    // the subscriber is live, and still has not taken what was sent before
    if (this.isLive && this.isSending && this.committed > this.double.liveBuffer)
      this.ended.abort(consumerTooSlow());
  }

  private async sendPage(page: readonly StoredRecord[]): Promise<void> {
    for (const record of page) {
      this.after = record.position;
      this.considered += 1;
      this.isSending = true;
      if (this.matches(record)) await this.send(eventOf(record));
      else if (this.considered % this.checkpointInterval === 0)
        await this.send(checkpoint(this.after));
      this.isSending = false;
      if (this.ended.signal.aborted) return;
    }
  }

  private async waitForMore(): Promise<void> {
    if (!this.isLive) await this.send(caughtUp());
    this.isLive = true;
    this.committed = 0;
    const { store, groups } = this.double;
    const head = store.head();
    if (head === undefined || head <= this.after)
      await once(groups, 'committed', { signal: this.ended.signal }).catch(() => undefined);
  }

  private send(message: Parameters<typeof send>[1]): Promise<void> {
    return send(this.call, message, this.ended.signal);
  }
}
