import type { MessagePort } from 'node:worker_threads';
import { toPosition } from '@refledger/contracts';
import type { EncodedAppend } from '../encode-append.js';
import { EventLogError } from '../event-log-error.js';
import type { Appended } from '../event-log.js';
import { wrongRevision } from '../wrong-revision.js';
import type { AppendAnswer, GroupAnswer, PortMessage } from './append.protocol.js';
import { errorOf } from './failure.js';

/** One group of appends that was committed together. Appends that conflicted are not counted. */
export interface GroupStatistics {
  readonly appends: number;
  readonly events: number;
  readonly bytes: number;
  /** Duration of the transaction in the writer's thread. */
  readonly commitMs: number;
}

/**
 * Maximum size of one group. In a longer group appends would wait for each other longer than a
 * shared fsync saves.
 */
const maxGroup = { appends: 512, bytes: 4 * 1024 * 1024 };

/**
 * The calling thread's side of group commit: appends that arrive while a group is in flight form
 * the next group, which is sent as one message. Keeps the process alive only while an append waits.
 */
export class AppendQueue {
  private waiting: Pending[] = [];
  private underWay: readonly Pending[] = [];
  private scheduled = false;
  private closed: string | undefined;
  private onIdle: (() => void) | undefined;

  constructor(
    private readonly port: MessagePort,
    private readonly file: string,
    private readonly onGroup: (group: GroupStatistics) => void,
  ) {
    port.on('message', (answer: GroupAnswer) => this.settle(answer));
    port.on('close', () => this.lost());
    port.unref();
  }

  append(request: EncodedAppend): Promise<Appended> {
    if (this.closed !== undefined)
      return Promise.reject(
        new EventLogError({ kind: 'unavailable' }, `${this.file}: ${this.closed}`),
      );
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      this.port.ref();
      this.schedule();
    });
  }

  /** Accepts no more appends; resolves once all accepted ones are answered. */
  async close(): Promise<void> {
    this.closed ??= 'this event log was closed';
    if (this.waiting.length + this.underWay.length > 0)
      await new Promise<void>((resolve) => (this.onIdle = resolve));
    this.port.close();
  }

  /** Sends at the end of this event-loop tick, so that all appends made in it share a group. */
  private schedule(): void {
    if (this.scheduled || this.underWay.length > 0) return;
    this.scheduled = true;
    setImmediate(() => this.send());
  }

  private send(): void {
    this.scheduled = false;
    this.underWay = this.waiting.splice(0, sizeOfNext(this.waiting));
    if (this.underWay.length > 0)
      this.port.postMessage({
        kind: 'group',
        appends: this.underWay.map(({ request }) => request),
      } satisfies PortMessage);
  }

  private settle(answer: GroupAnswer): void {
    const group = this.underWay;
    this.underWay = [];
    if (answer.kind === 'failed') {
      for (const { reject } of group) reject(errorOf(answer.failure));
    } else {
      this.onGroup(
        statisticsOf(
          group.filter((_, index) => answer.answers[index]?.kind === 'appended'),
          answer.commitMs,
        ),
      );
      answer.answers.forEach((each, index) => group[index] && settleOne(group[index], each));
    }
    if (this.waiting.length > 0) this.schedule();
    else this.idle();
  }

  /**
   * The thread is gone: the outcome of appends that it had received is unknown, and the others were
   * not written.
   */
  private lost(): void {
    this.closed ??= 'the writer has ended';
    for (const { reject } of this.underWay)
      reject(
        new EventLogError(
          { kind: 'unknown_outcome' },
          `${this.file}: the writer ended before it answered`,
        ),
      );
    for (const { reject } of this.waiting)
      reject(new EventLogError({ kind: 'unavailable' }, `${this.file}: the writer has ended`));
    this.underWay = [];
    this.waiting = [];
    this.idle();
  }

  private idle(): void {
    this.port.unref();
    this.onIdle?.();
  }
}

interface Pending {
  readonly request: EncodedAppend;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: Error) => void;
}

/** How many waiting appends form the next group: at least one, however large it is. */
const sizeOfNext = (waiting: readonly Pending[]): number => {
  let bytes = 0;
  const end = waiting.findIndex(
    ({ request }, index) =>
      index === maxGroup.appends || ((bytes += request.bytes) > maxGroup.bytes && index > 0),
  );
  return end === -1 ? waiting.length : end;
};

const settleOne = (
  { request: { stream, expected }, resolve, reject }: Pending,
  answer: AppendAnswer,
): void => {
  if (answer.kind === 'appended')
    return resolve({ revision: answer.revision, position: toPosition(String(answer.position)) });
  reject(wrongRevision(stream, expected, answer.actual));
};

const statisticsOf = (group: readonly Pending[], commitMs: number): GroupStatistics => ({
  appends: group.length,
  events: group.reduce((sum, { request }) => sum + request.events.length, 0),
  bytes: group.reduce((sum, { request }) => sum + request.bytes, 0),
  commitMs,
});
