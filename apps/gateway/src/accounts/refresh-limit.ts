import type { AccountId } from '@refledger/contracts';

/** How often keys that nobody knows yet may make the gateway read streams. */
export interface RefreshLimits {
  /** An account's stream is read at most once in so long. */
  readonly intervalMs: number;
  /** At most so many streams are read in one interval. */
  readonly most: number;
}

const defaults: RefreshLimits = { intervalMs: 250, most: 32 };

/** Bounds refreshes by account and in all, in memory that is bounded too. */
export class RefreshLimit {
  /** When each account's last refresh began, the oldest first. */
  private readonly begun = new Map<AccountId, number>();

  constructor(
    private readonly limits: RefreshLimits = defaults,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether a refresh of this account may begin now; it then counts as begun. */
  mayBegin(account: AccountId): boolean {
    const now = this.now();
    for (const [other, at] of this.begun) {
      if (now - at < this.limits.intervalMs) break;
      this.begun.delete(other);
    }
    if (this.begun.has(account) || this.begun.size >= this.limits.most) return false;
    this.begun.set(account, now);
    return true;
  }
}
