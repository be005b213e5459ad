import { DomainError } from '@refledger/contracts';
import type { Metrics } from '@refledger/platform';
import type { FastifyRequest } from 'fastify';

/**
 * `maxInProgress` fills two groups of the log's writer: one becomes durable while the next fills,
 * so more requests would only wait longer. Reads and writes have separate limits, and a read that
 * waits for a position, or a test that waits for its outcome, counts towards neither
 * (`runUncounted`).
 *
 * Rejections are held back because a client that retries immediately, ignoring `Retry-After`, would
 * cost nearly as much as if it were served, at the expense of the other clients.
 */
const defaults = {
  /** The maximum number of requests of one kind in progress at a time. */
  maxInProgress: 1_024,
  /**
   * The maximum number of rejections that are held back at a time. Further ones are sent
   * immediately.
   */
  heldBack: 4_096,
  /** How long, in milliseconds, a rejection is held back. */
  holdMs: 1_000,
};

/**
 * Limits the requests to operations that are in progress, and rejects further ones with 503
 * `unavailable`.
 */
export class ConcurrencyLimit {
  private held = 0;

  constructor(
    private readonly metrics: Pick<Metrics, 'requestsInFlight' | 'requestsRejected'>,
    private readonly limits = defaults,
  ) {}

  /**
   * Whether this request may proceed. Checked before anything else, even the key, so that a
   * rejection is cheap. Requests to other routes are never rejected.
   */
  hasRoomFor(request: FastifyRequest): boolean {
    return this.hasRoom(kindOf(request)) || request.routeOptions.config.operation === undefined;
  }

  /** Rejects a request after `holdMs`, or at once while `heldBack` others wait for theirs. */
  reject(request: FastifyRequest, done: (error: Error) => void): void {
    const error = this.refusal(kindOf(request));
    if (this.held >= this.limits.heldBack) return done(error);
    this.held++;
    setTimeout(() => {
      this.held--;
      done(error);
    }, this.limits.holdMs).unref();
  }

  /**
   * Runs the work of a fully received request. While a slow client is still sending a request, it
   * does not count.
   */
  async run<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
    const kind = kindOf(request);
    if (!this.hasRoom(kind)) throw this.refusal(kind);
    this.metrics.requestsInFlight[kind]++;
    try {
      return await work();
    } finally {
      this.metrics.requestsInFlight[kind]--;
    }
  }

  /**
   * Lets a request wait without counting towards the limit. It counts again afterwards without a
   * check: `PositionWaits` and `EndpointTests` bound how many wait, so at most that many exceed the
   * limit.
   */
  async runUncounted<T>(kind: Kind, wait: () => Promise<T>): Promise<T> {
    this.metrics.requestsInFlight[kind]--;
    try {
      return await wait();
    } finally {
      this.metrics.requestsInFlight[kind]++;
    }
  }

  private hasRoom(kind: Kind): boolean {
    return this.metrics.requestsInFlight[kind] < this.limits.maxInProgress;
  }

  private refusal(kind: Kind): DomainError {
    this.metrics.requestsRejected.inc({ kind });
    return new DomainError(
      'unavailable',
      'The service is overloaded; the request was not processed. Retry later.',
    );
  }
}

type Kind = 'read' | 'write';

const kindOf = ({ method }: FastifyRequest): Kind =>
  method === 'GET' || method === 'HEAD' ? 'read' : 'write';
