import type { AccountId } from '@refledger/contracts';

/** How often unknown keys may make the gateway read streams. */
const defaults = {
  /** The minimum time between two reads of an account's stream, in milliseconds. */
  intervalMs: 250,
  /** How many streams may be read within one interval. */
  max: 32,
};

/** Bounds refreshes per account and in total, in bounded memory. */
export class RefreshLimit {
  /** When each account's last refresh began, oldest first. */
  private readonly startedAt = new Map<AccountId, number>();

  constructor(
    private readonly limits = defaults,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether a refresh of this account may begin now. If so, it counts as begun. */
  tryStart(account: AccountId): boolean {
    const now = this.now();
    for (const [other, at] of this.startedAt) {
      if (now - at < this.limits.intervalMs) break;
      this.startedAt.delete(other);
    }
    if (this.startedAt.has(account) || this.startedAt.size >= this.limits.max) return false;
    this.startedAt.set(account, now);
    return true;
  }
}
