import {
  comparePositions,
  DomainError,
  laterOf,
  type AccountId,
  type LogId,
  type Position,
} from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore, ProjectionSpec } from '@refledger/read-store';
import type { Caller } from './http/caller.js';
import { LogHead } from './log-head.js';
import type { PositionWaits } from './position-waits.js';

export interface ConsistencyParts {
  readonly log: EventLog;
  readonly store: ReadStore;
  /**
   * The position of Refledger's last event in the log at the start. It stands for every write
   * before a restart.
   */
  readonly startedAt: Position | undefined;
  readonly waits: PositionWaits;
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
   * Waits until a projection has reached the asked position and this account's last write here.
   * Throws `read_model_behind` if it does not reach the asked position in time; an own write that
   * is not reached in time is not an error.
   */
  async settle(
    projection: ProjectionSpec,
    caller: Caller,
    asked: Position | undefined,
  ): Promise<void> {
    if (asked !== undefined && (await this.head.isBefore(asked))) throw beyondTheLog(asked);
    const { log, store, waits, timeoutMs } = this.parts;
    const own = this.ownWrite(caller.accountId);
    await waits.run(caller, async () => {
      const deadline = performance.now() + timeoutMs;
      const reached = (position: Position): Promise<boolean> =>
        store.reached(projection, log.id, position, {
          timeoutMs: Math.max(0, deadline - performance.now()),
        });
      if (asked !== undefined && !(await reached(asked))) throw this.behind(asked);
      if (own !== undefined) await reached(own);
    });
  }

  /**
   * Whether a projection at this position shows this account's writes here and the asked position,
   * so that no wait is needed.
   */
  isSettled(
    position: Position | undefined,
    account: AccountId,
    asked: Position | undefined,
  ): boolean {
    const wanted = laterOf(this.ownWrite(account), asked);
    return (
      wanted === undefined || (position !== undefined && comparePositions(position, wanted) >= 0)
    );
  }

  /**
   * Waits until the log has reached the asked position. A single record is read from its own
   * stream, so it is as new as the log. Throws `read_model_behind` if the log does not reach it in
   * time.
   */
  async settleLog(caller: Caller, asked: Position): Promise<void> {
    if (await this.head.isBefore(asked)) throw beyondTheLog(asked);
    if (this.head.hasSeen(asked)) return;
    const { waits, timeoutMs } = this.parts;
    const isThere = await waits.run(caller, () => this.head.reached(asked, timeoutMs));
    if (!isThere) throw this.behind(asked);
  }

  private ownWrite(account: AccountId): Position | undefined {
    return this.lastWrites.get(account) ?? this.parts.startedAt;
  }

  private behind(asked: Position): DomainError {
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
