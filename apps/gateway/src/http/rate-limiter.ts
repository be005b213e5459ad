const windowSeconds = 60;

export interface Allowance {
  readonly overLimit: boolean;
  /** Requests left in this window. */
  readonly left: number;
  /** Whole seconds until the window ends. */
  readonly resetSeconds: number;
}

/** Counts requests per key in windows of a minute that begin with a key's first request. */
export class RateLimiter {
  /** The `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers. */
  readonly policy: string;
  /** In the order in which they end. */
  private readonly windows = new Map<string, { endsAt: number; used: number }>();

  constructor(
    private readonly limit: number,
    private readonly now: () => number = () => performance.now(),
    /** Most windows that are kept; beyond, the oldest goes. */
    private readonly mostWindows = Infinity,
  ) {
    this.policy = `"default";q=${limit};w=${windowSeconds}`;
  }

  /** Takes one request from the key's allowance. */
  take(key: string): Allowance {
    const now = this.now();
    let window = this.windows.get(key);
    if (window === undefined || window.endsAt <= now) {
      window = { endsAt: now + windowSeconds * 1_000, used: 0 };
      this.prune(now);
      this.windows.set(key, window);
    }
    const overLimit = window.used >= this.limit;
    if (!overLimit) window.used++;
    return {
      overLimit,
      left: this.limit - window.used,
      resetSeconds: Math.ceil((window.endsAt - now) / 1_000),
    };
  }

  /** Whether nothing is left to the key now. */
  isUsedUp(key: string): boolean {
    const window = this.windows.get(key);
    return window !== undefined && window.used >= this.limit && window.endsAt > this.now();
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.windows.size;
  }

  /** Forgets what is over, and makes room for one more. */
  private prune(now: number): void {
    for (const [key, { endsAt }] of this.windows) {
      if (endsAt > now && this.windows.size < this.mostWindows) return;
      this.windows.delete(key);
    }
  }
}

/** The `RateLimit` of the same draft. */
export const rateLimitHeader = ({ left, resetSeconds }: Allowance): string =>
  `"default";r=${left};t=${resetSeconds}`;
