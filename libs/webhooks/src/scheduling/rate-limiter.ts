import { EventEmitter } from 'node:events';
import type { EndpointId } from '@refledger/contracts';
import type { Clock, EndpointDirectory } from '@refledger/webhook-endpoints';
import type { SchedulerStore } from '@refledger/delivery-store';

export interface RateLimiterOptions {
  readonly store: Pick<SchedulerStore, 'takeTokens'>;
  readonly directory: Pick<EndpointDirectory, 'latest'>;
  readonly clock: Clock;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * How fast deliveries are sent to an endpoint without `max_per_second`: without a limit, or at the
 * catch-up rate.
 */
export type Rate = 'unlimited' | 'catch-up';

/**
 * Lets requests to an endpoint begin no faster than its `max_per_second`, over all dispatchers: it
 * takes tokens from the store, each for one request. An endpoint without tokens holds no slot.
 * Without that limit, only catching up takes tokens. Emits `again` for an endpoint that may have
 * tokens now.
 */
export class RateLimiter extends EventEmitter<{ again: [endpoint: EndpointId] }> {
  private readonly tokens = new Map<EndpointId, OwnTokens>();

  constructor(private readonly options: RateLimiterOptions) {
    super();
  }

  /** The endpoint's limit at this pace; Infinity if it has none. */
  perSecond(endpoint: EndpointId, pace: Rate): number {
    const limit = this.options.directory.latest(endpoint)?.maxPerSecond;
    return limit ?? (pace === 'catch-up' ? catchUpPerSecond : Infinity);
  }

  /** Whether a request may begin now. If not, tokens are asked for, and `again` follows. */
  mayBegin(endpoint: EndpointId, pace: Rate): boolean {
    const perSecond = this.perSecond(endpoint, pace);
    if (perSecond === Infinity) return true;
    const tokens = this.tokensOf(endpoint);
    if (tokens.count > 0 && this.options.clock.now() < tokens.until) return true;
    if (!tokens.isAsking) void this.ask(endpoint, tokens, perSecond);
    return false;
  }

  /** Uses a token for a request that begins now. */
  take(endpoint: EndpointId, pace: Rate): void {
    const tokens = this.usedTokens(endpoint, pace);
    if (tokens !== undefined && tokens.count > 0) tokens.count--;
  }

  /** Releases the token of a request that did not begin. */
  release(endpoint: EndpointId, pace: Rate): void {
    const tokens = this.usedTokens(endpoint, pace);
    if (tokens !== undefined) tokens.count++;
  }

  /** Drops the state of an endpoint that was unsubscribed. */
  forget(endpoint: EndpointId): void {
    this.tokens.delete(endpoint);
  }

  /** Never rejects. */
  private async ask(endpoint: EndpointId, tokens: OwnTokens, perSecond: number): Promise<void> {
    const { store, clock, logRetry } = this.options;
    tokens.isAsking = true;
    let [taken, waitMs] = [0, retryMs];
    try {
      const given = await store.takeTokens(endpoint, perSecond);
      tokens.count = 0;
      tokens.until = clock.now() + keepMs;
      [taken, waitMs] = [given.taken, Math.max(leastWaitMs, given.nextInMs)];
    } catch (error) {
      logRetry('taking tokens', error);
    }
    this.spread(endpoint, tokens, taken);
    clock.schedule(waitMs, () => {
      tokens.isAsking = false;
      this.emit('again', endpoint);
    });
  }

  /**
   * Makes tokens usable in portions until it may ask again. Many requests that begin at once would
   * keep those to other endpoints waiting. A portion that comes late is dropped: added to the next
   * tokens, it would let the endpoint exceed its limit.
   */
  private spread(endpoint: EndpointId, tokens: OwnTokens, taken: number): void {
    const { clock } = this.options;
    const portions = Math.ceil(taken / maxPortion);
    for (let n = 0; n < portions; n++) {
      const inMs = (leastWaitMs * n) / portions;
      const dueAt = clock.now() + inMs;
      const add = (): void => {
        if (clock.now() > dueAt + maxLateMs) return;
        tokens.count += Math.min(maxPortion, taken - n * maxPortion);
        this.emit('again', endpoint);
      };
      if (n === 0) add();
      else clock.schedule(inMs, add);
    }
  }

  /** The tokens that requests at this pace use; undefined if they use none. */
  private usedTokens(endpoint: EndpointId, pace: Rate): OwnTokens | undefined {
    return this.perSecond(endpoint, pace) === Infinity ? undefined : this.tokens.get(endpoint);
  }

  private tokensOf(endpoint: EndpointId): OwnTokens {
    const known = this.tokens.get(endpoint);
    if (known !== undefined) return known;
    const tokens: OwnTokens = { count: 0, until: 0, isAsking: false };
    this.tokens.set(endpoint, tokens);
    return tokens;
  }
}

/** The tokens of an endpoint that this dispatcher has taken. */
interface OwnTokens {
  count: number;
  /** When unused tokens expire, in milliseconds since 1970. */
  until: number;
  /** Whether it has asked for tokens, and may not yet ask again. */
  isAsking: boolean;
}

/** How many held deliveries are sent per second to an endpoint without `max_per_second`. */
const catchUpPerSecond = 20;
const keepMs = 1_000;
/** The store is asked ten times a second at most, for a tenth of a second's tokens. */
const leastWaitMs = 100;
const maxPortion = 16;
const maxLateMs = 20;
const retryMs = 1_000;
