import { setTimeout as delay } from 'node:timers/promises';
import { comparePositions, DomainError, laterOf, type AccountId, type LogId, type Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore, ViewSpec } from '@refledger/read-store';

/** Makes reads see what their account has written on this gateway, and what they ask for with `Refledger-Min-Position`. */
export class Consistency {
  private readonly lastWrites = new Map<AccountId, Position>();

  /** `startedAt`: the last event of ours in the log at the start, which stands for every write before a restart. */
  constructor(
    private readonly log: EventLog,
    private readonly store: ReadStore,
    private readonly startedAt: Position | undefined,
    private readonly timeoutMs: number,
  ) {}

  get logId(): LogId {
    return this.log.id;
  }

  /** A write of this account was answered with this position. */
  wrote(account: AccountId, position: Position | undefined): void {
    const later = laterOf(this.lastWrites.get(account), position);
    if (later !== undefined) this.lastWrites.set(account, later);
  }

  /** Waits until a view shows what this account wrote here, for a while; and what it asks for, or fails with `read_model_behind`. */
  async settle(view: ViewSpec, account: AccountId, asked: Position | undefined): Promise<void> {
    const own = this.lastWrites.get(account) ?? this.startedAt;
    const reached = (position: Position): Promise<boolean> => this.store.reached(view, this.log.id, position, { timeoutMs: this.timeoutMs });
    if (asked !== undefined && !(await reached(asked))) throw this.behind(asked);
    if (own !== undefined) await reached(own);
  }

  /** Whether a view at this position shows what this account wrote here and what it asks for, so that there is nothing to wait for. */
  isSettled(position: Position | undefined, account: AccountId, asked: Position | undefined): boolean {
    const wanted = laterOf(this.lastWrites.get(account) ?? this.startedAt, asked);
    return wanted === undefined || (position !== undefined && comparePositions(position, wanted) >= 0);
  }

  /** A single record is read from its own stream, so it is as new as the log: fails only when the log hasn't come to what is asked for. */
  async settleLog(asked: Position): Promise<void> {
    const deadline = performance.now() + this.timeoutMs;
    for (;;) {
      const head = await this.log.head();
      if (head !== undefined && comparePositions(head, asked) >= 0) return;
      if (performance.now() > deadline) throw this.behind(asked);
      await delay(20);
    }
  }

  private behind(asked: Position): DomainError {
    return new DomainError('read_model_behind', `position ${asked} was not reached within ${this.timeoutMs} ms`);
  }
}
