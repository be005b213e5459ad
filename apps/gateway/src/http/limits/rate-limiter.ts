const windowSeconds = 60;

/** The state of a key's allowance after one more request. */
export interface Allowance {
  readonly overLimit: boolean;
  /** The requests that are left in this window. */
  readonly left: number;
  /** Whole seconds until the window ends. */
  readonly resetSeconds: number;
}

/**
 * Counts requests per key in windows of one minute. A window begins with the key's first request.
 */
export class RateLimiter {
  /** The `RateLimit-Policy` header of draft-ietf-httpapi-ratelimit-headers. */
  readonly policy: string;
  /** The windows, in the order in which they end. */
  private readonly windows = new Map<string, { endsAt: number; used: number }>();

  constructor(
    private readonly limit: number,
    private readonly now: () => number = () => performance.now(),
    /** The maximum number of windows that are kept. Beyond that, the oldest is removed. */
    private readonly maxWindows = Infinity,
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

  /** Whether the key has used up its allowance. */
  isExhausted(key: string): boolean {
    const window = this.windows.get(key);
    return window !== undefined && window.used >= this.limit && window.endsAt > this.now();
  }

  /** The number of keys that are remembered. */
  get size(): number {
    return this.windows.size;
  }

  /** Removes windows that have ended, and makes room for one more. */
  private prune(now: number): void {
    for (const [key, { endsAt }] of this.windows) {
      if (endsAt > now && this.windows.size < this.maxWindows) return;
      this.windows.delete(key);
    }
  }
}

/** The `RateLimit` header of the same draft. */
export const rateLimitHeader = ({ left, resetSeconds }: Allowance): string =>
  `"default";r=${left};t=${resetSeconds}`;
