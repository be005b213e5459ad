import { EventEmitter } from 'node:events';
import type { EndpointId } from '@refledger/contracts';
import type { Clock } from '../clock.js';
import type { EndpointDirectory } from '../endpoints/endpoint-directory.js';
import type { SchedulerStore } from '../stores/delivery-store.js';

export interface RateLimiterOptions {
  readonly store: Pick<SchedulerStore, 'takeTokens'>;
  readonly directory: Pick<EndpointDirectory, 'latest'>;
  readonly clock: Clock;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Lets requests to an endpoint begin no faster than its `max_per_second`, over all dispatchers: it
 * takes tokens from the store, each for one request. An endpoint without tokens holds no slot.
 * Emits `again` for an endpoint that may have tokens now.
 */
export class RateLimiter extends EventEmitter<{ again: [endpoint: EndpointId] }> {
  private readonly tokens = new Map<EndpointId, OwnTokens>();

  constructor(private readonly options: RateLimiterOptions) {
    super();
  }

  /** The endpoint's limit; Infinity if it has none. */
  perSecond(endpoint: EndpointId): number {
    return this.options.directory.latest(endpoint)?.maxPerSecond ?? Infinity;
  }

  /** Whether a request may begin now. If not, tokens are asked for, and `again` follows. */
  mayBegin(endpoint: EndpointId): boolean {
    const perSecond = this.perSecond(endpoint);
    if (perSecond === Infinity) return true;
    const tokens = this.tokensOf(endpoint);
    if (tokens.count > 0 && this.options.clock.now() < tokens.until) return true;
    if (!tokens.isAsking) void this.ask(endpoint, tokens, perSecond);
    return false;
  }

  /** Uses a token for a request that begins now. */
  take(endpoint: EndpointId): void {
    const tokens = this.tokens.get(endpoint);
    if (tokens !== undefined && tokens.count > 0) tokens.count--;
  }

  /** Gives back the token of a request that did not begin. */
  giveBack(endpoint: EndpointId): void {
    const tokens = this.tokens.get(endpoint);
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
    let waitMs = retryMs;
    try {
      const { taken, nextInMs } = await store.takeTokens(endpoint, perSecond);
      tokens.count = taken;
      tokens.until = clock.now() + keepMs;
      waitMs = Math.max(leastWaitMs, nextInMs);
    } catch (error) {
      logRetry('taking tokens', error);
    }
    if (tokens.count > 0) this.emit('again', endpoint);
    clock.after(waitMs, () => {
      tokens.isAsking = false;
      this.emit('again', endpoint);
    });
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

const keepMs = 1_000;
/** The store is asked ten times a second at most, for a tenth of a second's tokens. */
const leastWaitMs = 100;
const retryMs = 1_000;
