import type { AccountId, ReplayId } from '@refledger/contracts';
import type { Replay } from '@refledger/delivery-store';

/**
 * Whose turn it is. The replays of an account take turns, and one that had nothing to do rests for
 * a while.
 */
export class ReplayRoundRobin {
  /** For each account, the replay that had the last turn. */
  private readonly last = new Map<AccountId, ReplayId>();
  /** Until when replays rest, in milliseconds since 1970. */
  private readonly rests = new Map<ReplayId, number>();

  /**
   * For each account, its replays that are not resting, the next one first. Forgets accounts and
   * replays that are not among these.
   */
  nextPerAccount(running: readonly Replay[], now: number): readonly (readonly Replay[])[] {
    const own = new Map<AccountId, Replay[]>();
    for (const replay of running) {
      const others = own.get(replay.accountId);
      if (others === undefined) own.set(replay.accountId, [replay]);
      else others.push(replay);
    }
    const ids = new Set(running.map(({ id }) => id));
    for (const id of this.rests.keys()) if (!ids.has(id)) this.rests.delete(id);
    for (const account of this.last.keys()) if (!own.has(account)) this.last.delete(account);
    return [...own].map(([account, replays]) => {
      const next = replays.findIndex(({ id }) => id === this.last.get(account)) + 1;
      const inOrder = [...replays.slice(next), ...replays.slice(0, next)];
      return inOrder.filter(({ id }) => !this.isResting(id, now));
    });
  }

  /** Notes that a replay has had its turn. */
  record({ accountId, id }: Pick<Replay, 'accountId' | 'id'>): void {
    this.last.set(accountId, id);
  }

  /** Lets a replay rest until a time. */
  pauseUntil({ id }: Pick<Replay, 'id'>, until: number): void {
    this.rests.set(id, until);
  }

  /** A rest also ends when the clock is put back. */
  private isResting(id: ReplayId, now: number): boolean {
    const until = this.rests.get(id) ?? 0;
    return now < until && until - now <= longestRestMs;
  }
}

/** No replay rests for longer. */
export const longestRestMs = 5_000;
