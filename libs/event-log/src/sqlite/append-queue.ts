import type { MessagePort } from 'node:worker_threads';
import { toPosition } from '@refledger/contracts';
import { Calls } from '@refledger/sqlite';
import type { EncodedAppend } from '../encode-append.js';
import { reportAppended } from '../appended.js';
import { unavailable, unknownOutcome, wrongRevision } from '../event-log-error.js';
import type { AppendResult } from '../event-log.js';
import type { GroupStatistics } from '../open-event-log-options.js';
import type { AppendResponse, CommitResult, WriterMethods } from './append.protocol.js';
import { errorOf } from './failure.js';
import { portTo } from './writer-thread.js';

/**
 * Maximum size of one group. In a larger group, appends would wait for each other for longer than a
 * shared fsync saves.
 */
const maxGroup = { appends: 512, bytes: 4 * 1024 * 1024 };

/**
 * The calling thread's side of group commit: appends that arrive while a group is in flight form
 * the next group, which is sent as one message. Keeps the process alive only while an append waits.
 */
export class AppendQueue {
  private waiting: PendingAppend[] = [];
  private inProgress: readonly PendingAppend[] = [];
  private scheduled = false;
  private closed: string | undefined;
  private onIdle: (() => void) | undefined;
  private readonly writer: Calls<WriterMethods>;

  constructor(
    private readonly port: MessagePort,
    private readonly file: string,
    private readonly onGroup: (group: GroupStatistics) => void,
  ) {
    this.writer = new Calls(port, errorOf);
    port.on('close', () => this.failAll());
  }

  append(request: EncodedAppend): Promise<AppendResult> {
    if (this.closed !== undefined)
      return Promise.reject(unavailable(`${this.file}: ${this.closed}`));
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      this.schedule();
    });
  }

  /** Rejects if no append could be committed now. */
  probe(): Promise<void> {
    return this.writer.call('probe');
  }

  /** Creates a port to the writer for another handle. */
  connect(): MessagePort {
    return portTo(this.writer);
  }

  /** Accepts no more appends; resolves once all accepted ones are answered. */
  async close(): Promise<void> {
    this.closed ??= 'this event log is closed';
    if (this.waiting.length + this.inProgress.length > 0)
      await new Promise<void>((resolve) => (this.onIdle = resolve));
    this.port.close();
  }

  /** Sends at the end of this event-loop tick, so that all appends made in it share a group. */
  private schedule(): void {
    if (this.scheduled || this.inProgress.length > 0) return;
    this.scheduled = true;
    setImmediate(() => this.send());
  }

  private send(): void {
    this.scheduled = false;
    this.inProgress = this.waiting.splice(0, sizeOfNext(this.waiting));
    if (this.inProgress.length === 0) return;
    const group = this.inProgress;
    void this.writer
      .call(
        'append',
        group.map(({ request }) => request),
      )
      .then(
        (committed) => this.settle(group, committed),
        (error: unknown) => group.forEach(({ reject }) => reject(error)),
      )
      .then(() => this.next());
  }

  private settle(group: readonly PendingAppend[], { responses, commitMs }: CommitResult): void {
    const isAppended = (_: PendingAppend, index: number): boolean =>
      responses[index]?.kind === 'appended';
    const statistics = statisticsOf(group.filter(isAppended), commitMs);
    reportAppended(statistics.events);
    this.onGroup(statistics);
    responses.forEach((each, index) => group[index] && settleOne(group[index], each));
  }

  private next(): void {
    this.inProgress = [];
    if (this.waiting.length > 0) this.schedule();
    else this.onIdle?.();
  }

  /**
   * The thread is gone: the outcome of appends that it had received is unknown, and the others were
   * not written.
   */
  private failAll(): void {
    this.closed ??= 'the writer has exited';
    this.writer.end(unknownOutcome(`${this.file}: the writer exited before it responded`));
    for (const { reject } of this.waiting.splice(0))
      reject(unavailable(`${this.file}: the writer has exited`));
    if (this.inProgress.length === 0) this.onIdle?.();
  }
}

interface PendingAppend {
  readonly request: EncodedAppend;
  readonly resolve: (appended: AppendResult) => void;
  readonly reject: (error: unknown) => void;
}

/** How many waiting appends form the next group: at least one, however large it is. */
const sizeOfNext = (waiting: readonly PendingAppend[]): number => {
  let bytes = 0;
  const end = waiting.findIndex(
    ({ request }, index) =>
      index === maxGroup.appends || ((bytes += request.bytes) > maxGroup.bytes && index > 0),
  );
  return end === -1 ? waiting.length : end;
};

const settleOne = (
  { request: { stream, expected }, resolve, reject }: PendingAppend,
  response: AppendResponse,
): void => {
  if (response.kind === 'appended')
    return resolve({
      revision: response.revision,
      position: toPosition(String(response.position)),
    });
  reject(wrongRevision(stream, expected, response.actual));
};

const statisticsOf = (group: readonly PendingAppend[], commitMs: number): GroupStatistics => ({
  appends: group.length,
  events: group.reduce((sum, { request }) => sum + request.events.length, 0),
  bytes: group.reduce((sum, { request }) => sum + request.bytes, 0),
  commitMs,
});
