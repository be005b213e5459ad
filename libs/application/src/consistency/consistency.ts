import {
  comparePositions,
  DomainError,
  laterOf,
  type AccountId,
  type KeyId,
  type LogId,
  type Position,
} from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore, ProjectionSpec } from '@refledger/read-store';
import { LogHead } from './log-head.js';

/** The key that a read was requested with, and the key's account. */
export interface Reader {
  readonly accountId: AccountId;
  readonly keyId: KeyId;
}

/** Bounds the reads that wait. */
export interface ReadWaits {
  /** Throws `read_model_behind` immediately if too many reads are waiting. */
  run<T>(reader: Reader, wait: () => Promise<T>): Promise<T>;
}

export interface ConsistencyParts {
  readonly log: Pick<EventLog, 'id' | 'head' | 'isHeadLatest'>;
  readonly store: Pick<ReadStore, 'waitForPosition'>;
  /**
   * The position of Refledger's last event in the log at startup. It stands for every write before
   * a restart.
   */
  readonly startedAt: Position | undefined;
  readonly waits: ReadWaits;
  readonly timeoutMs: number;
}

/**
 * Makes reads see their account's writes on this gateway, and the position that they ask for with
 * `Refledger-Min-Position`.
 */
export class Consistency {
  private readonly lastWrites = new Map<AccountId, Position>();
  private readonly head: LogHead;

  constructor(private readonly parts: ConsistencyParts) {
    this.head = new LogHead(parts.log);
  }

  get logId(): LogId {
    return this.parts.log.id;
  }

  /** Notes the position of a write by this account. */
  wrote(account: AccountId, position: Position | undefined): void {
    const later = laterOf(this.lastWrites.get(account), position);
    if (later !== undefined) this.lastWrites.set(account, later);
  }

  /**
   * Waits until a projection has reached the requested position and this account's last write here.
   * Throws `read_model_behind` if it does not reach the requested position in time. Not reaching
   * the account's own write in time is not an error.
   */
  async settle(
    projection: ProjectionSpec,
    reader: Reader,
    asked: Position | undefined,
  ): Promise<void> {
    if (asked !== undefined && (await this.head.isBefore(asked))) throw beyondTheLog(asked);
    const { log, store, waits, timeoutMs } = this.parts;
    const own = this.ownWrite(reader.accountId);
    await waits.run(reader, async () => {
      const deadline = performance.now() + timeoutMs;
      const wait = (position: Position): Promise<boolean> =>
        store.waitForPosition(projection, log.id, position, {
          timeoutMs: Math.max(0, deadline - performance.now()),
        });
      if (asked !== undefined && !(await wait(asked))) throw this.behindError(asked);
      if (own !== undefined) await wait(own);
    });
  }

  /**
   * Waits until a projection has reached what is now the end of the log. Throws `read_model_behind`
   * if it does not reach that in time.
   */
  async settleAtHead(projection: ProjectionSpec, reader: Reader): Promise<void> {
    await this.settle(projection, reader, await this.readHead());
  }

  /** The position of what is now the end of the log; undefined while it is empty. */
  readHead(): Promise<Position | undefined> {
    return this.head.read();
  }

  /**
   * Whether a projection at this position shows this account's writes here and the requested
   * position, so that no wait is needed.
   */
  isSettled(
    position: Position | undefined,
    account: AccountId,
    asked: Position | undefined,
  ): boolean {
    const wanted = this.wanted(account, asked);
    return (
      wanted === undefined || (position !== undefined && comparePositions(position, wanted) >= 0)
    );
  }

  /** The position that a read must reflect: this account's last write here, or a later one. */
  wanted(account: AccountId, asked: Position | undefined): Position | undefined {
    return laterOf(this.ownWrite(account), asked);
  }

  /** Whether the log certainly has not reached the requested position. */
  isBeyondTheLog(asked: Position): Promise<boolean> {
    return this.head.isBefore(asked);
  }

  /**
   * Waits until the log has reached the requested position. A single record is read from its own
   * stream, so it is as current as the log. Throws what `beyond` returns if the log certainly has
   * not reached it. A log whose node may be behind never knows that; this then throws
   * `read_model_behind` if it does not reach the position in time.
   */
  async settleLog(
    reader: Reader,
    asked: Position,
    beyond: (asked: Position) => DomainError = beyondTheLog,
  ): Promise<void> {
    if (await this.head.isBefore(asked)) throw beyond(asked);
    if (this.head.hasSeen(asked)) return;
    const { waits, timeoutMs } = this.parts;
    const isReached = await waits.run(reader, () => this.head.waitForPosition(asked, timeoutMs));
    if (!isReached)
      throw new DomainError(
        'read_model_behind',
        `The event log did not reach position ${asked} within ${timeoutMs} ms: its node is behind, or the position is beyond the end of the log. Retry later with the position of a response, a webhook or a change.`,
      );
  }

  private ownWrite(account: AccountId): Position | undefined {
    return this.lastWrites.get(account) ?? this.parts.startedAt;
  }

  private behindError(asked: Position): DomainError {
    return new DomainError(
      'read_model_behind',
      `The read model did not reach position ${asked} within ${this.parts.timeoutMs} ms. Retry later.`,
    );
  }
}

const beyondTheLog = (asked: Position): DomainError =>
  new DomainError(
    'read_model_behind',
    `Position ${asked} is beyond the end of the event log. Send the Refledger-Position of a response.`,
  );
