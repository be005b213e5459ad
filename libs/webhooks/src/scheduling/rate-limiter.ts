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
  private readonly held = new Map<EndpointId, HeldTokens>();

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
    const held = this.heldBy(endpoint);
    if (held.count > 0 && this.options.clock.now() < held.until) return true;
    if (!held.isAsking) void this.ask(endpoint, held, perSecond);
    return false;
  }

  /** Uses a token for a request that begins now. */
  take(endpoint: EndpointId): void {
    const held = this.held.get(endpoint);
    if (held !== undefined && held.count > 0) held.count--;
  }

  /** Gives back the token of a request that did not begin. */
  giveBack(endpoint: EndpointId): void {
    const held = this.held.get(endpoint);
    if (held !== undefined) held.count++;
  }

  /** Drops the state of an endpoint that was unsubscribed. */
  forget(endpoint: EndpointId): void {
    this.held.delete(endpoint);
  }

  /** Never rejects. */
  private async ask(endpoint: EndpointId, held: HeldTokens, perSecond: number): Promise<void> {
    const { store, clock, logRetry } = this.options;
    held.isAsking = true;
    let waitMs = retryMs;
    try {
      const { taken, nextInMs } = await store.takeTokens(endpoint, perSecond);
      held.count = taken;
      held.until = clock.now() + keepMs;
      waitMs = Math.max(leastWaitMs, nextInMs);
    } catch (error) {
      logRetry('taking tokens', error);
    }
    if (held.count > 0) this.emit('again', endpoint);
    clock.after(waitMs, () => {
      held.isAsking = false;
      this.emit('again', endpoint);
    });
  }

  private heldBy(endpoint: EndpointId): HeldTokens {
    const known = this.held.get(endpoint);
    if (known !== undefined) return known;
    const held: HeldTokens = { count: 0, until: 0, isAsking: false };
    this.held.set(endpoint, held);
    return held;
  }
}

/** The tokens of an endpoint that this dispatcher has taken. */
interface HeldTokens {
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
