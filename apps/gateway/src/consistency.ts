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
  /** The last event of ours in the log at the start, which stands for every write before a restart. */
  readonly startedAt: Position | undefined;
  readonly waits: PositionWaits;
  readonly timeoutMs: number;
}

/** Makes reads see what their account has written on this gateway, and what they ask for with `Refledger-Min-Position`. */
export class Consistency {
  private readonly lastWrites = new Map<AccountId, Position>();
  private readonly head: LogHead;

  constructor(private readonly parts: ConsistencyParts) {
    this.head = new LogHead(parts.log);
  }

  get logId(): LogId {
    return this.parts.log.id;
  }

  /** A write of this account was answered with this position. */
  wrote(account: AccountId, position: Position | undefined): void {
    const later = laterOf(this.lastWrites.get(account), position);
    if (later !== undefined) this.lastWrites.set(account, later);
  }

  /** Waits until a projection shows what this account wrote here, for a while; and what it asks for, or fails with `read_model_behind`. */
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

  /** Whether a projection at this position shows what this account wrote here and what it asks for, so that there is nothing to wait for. */
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

  /** A single record is read from its own stream, so it is as new as the log: fails only when the log hasn't come to what is asked for. */
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
      `position ${asked} was not reached within ${this.parts.timeoutMs} ms`,
    );
  }
}

const beyondTheLog = (asked: Position): DomainError =>
  new DomainError(
    'read_model_behind',
    `position ${asked} is beyond the end of the event log: no write was answered with it`,
  );
