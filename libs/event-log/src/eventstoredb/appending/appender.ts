import { setTimeout as sleep } from 'node:timers/promises';
import type { EncodedAppend } from '../../encode-append.js';
import { isEventLogError, unavailable } from '../../event-log-error.js';
import { readResponse, type AppendResponse } from './append-response.js';
import { openBatchAppender, type BatchAppender } from './batch-appender.js';
import { appendRequest } from './append-request.js';
import { appendFault } from '../client-errors.js';
import type { Connection } from '../connection.js';
import type { Node } from '../node.js';

/** How long to wait before an append with an unknown outcome is repeated. */
const repeatPauseMs = 50;

/** Sends appends over one batch stream at a time, pipelined in the order of the calls. */
export class Appender {
  private current: { readonly node: Node; readonly opening: Promise<BatchAppender> } | undefined;
  private closed = false;
  private readonly inProgress = new Set<Promise<unknown>>();

  constructor(
    private readonly connection: Connection,
    private readonly deadlineMs: number,
  ) {}

  /** Throws an `EventLogError`; with `unavailable` nothing was written. */
  append(append: EncodedAppend): Promise<AppendResponse> {
    const { hosts } = this.connection;
    if (this.closed) return Promise.reject(unavailable(`${hosts}: this event log is closed`));
    const result = this.untilKnown(append).catch((error: unknown) => {
      throw appendFault(error, hosts);
    });
    this.inProgress.add(result);
    const done = (): void => void this.inProgress.delete(result);
    result.then(done, done);
    return result;
  }

  /** Accepts no more appends; resolves once all accepted ones are answered. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.inProgress);
    this.current?.opening.then(
      (appender) => appender.end(),
      () => undefined,
    );
  }

  /**
   * Repeats an append until its outcome is known. The server drops an append while an identical one
   * is not committed yet, and answers after 2 s that it does not know the outcome; another
   * identical append then finds the first one.
   */
  private async untilKnown(append: EncodedAppend): Promise<AppendResponse> {
    const deadline = performance.now() + this.deadlineMs;
    for (;;) {
      try {
        return await this.connection.withLeader((node) => this.once(node, append));
      } catch (error) {
        const isKnown = !isEventLogError(error, 'unknown_outcome');
        if (isKnown || this.closed || performance.now() >= deadline) throw error;
        await sleep(repeatPauseMs);
      }
    }
  }

  private async once(node: Node, append: EncodedAppend): Promise<AppendResponse> {
    const appender = await this.appenderTo(node);
    const response = await appender.send(appendRequest(append), this.deadlineMs);
    try {
      const result = readResponse(response, { bytes: append.bytes, hosts: this.connection.hosts });
      if (result.kind === 'appended' && result.position !== undefined)
        this.connection.recordCommit(node, BigInt(result.position));
      return result;
    } catch (error) {
      // a node that no longer leads can't commit
      if (isEventLogError(error, 'unknown_outcome')) void this.connection.doubt(node);
      throw error;
    }
  }

  /** Not async: all appends await the same promise, so they are sent in the order of the calls. */
  private appenderTo(node: Node): Promise<BatchAppender> {
    if (this.current?.node === node) return this.current.opening;
    const opening = openBatchAppender(node, () => this.forget(opening));
    this.current = { node, opening };
    opening.catch(() => this.forget(opening));
    return opening;
  }

  private forget(opening: Promise<BatchAppender>): void {
    if (this.current?.opening === opening) this.current = undefined;
  }
}
