import { DomainError } from '@refledger/contracts';
import type { Metrics } from '@refledger/platform';
import type { FastifyRequest } from 'fastify';

export interface WorkLimits {
  /** Most requests of a kind at work at once. */
  readonly atWork: number;
  /** Most refusals that are held back at once; beyond, they leave at once. */
  readonly heldBack: number;
  readonly holdMs: number;
}

/**
 * Two groups of the log's writer: one is made durable while the next gathers, so more at work would only wait longer. Reads and writes have
 * room of their own; a read that waits for a position takes none (`aside`).
 *
 * A refusal is held back, since a client that comes again at once, whatever `Retry-After` says, would cost nearly as much by being refused as
 * by being served, and those who are served would pay for it.
 */
const defaults: WorkLimits = { atWork: 1_024, heldBack: 4_096, holdMs: 1_000 };

/** How much of the work on operations is under way, and the refusal (503 `unavailable`) of what would be more than bearable. */
export class ConcurrencyLimit {
  private held = 0;

  constructor(
    private readonly metrics: Pick<Metrics, 'requestsInFlight' | 'requestsRejected'>,
    private readonly limits: WorkLimits = defaults,
  ) {}

  /** Asked before anything of a request is looked at, its key included: so a refusal is cheap. What is no operation is never refused. */
  hasRoomFor(request: FastifyRequest): boolean {
    return this.hasRoom(kindOf(request)) || request.routeOptions.config.operation === undefined;
  }

  /** Refuses a request, in a while. */
  reject(request: FastifyRequest, done: (error: Error) => void): void {
    const error = this.refusal(kindOf(request));
    if (this.held >= this.limits.heldBack) return done(error);
    this.held++;
    setTimeout(() => {
      this.held--;
      done(error);
    }, this.limits.holdMs).unref();
  }

  /** Does the work of a request that has come whole. Before, while a slow client still sends it, it takes no room from others. */
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
   * Lets a read wait for something without its room. It takes the room again without asking: how many
   * wait is bounded by `PositionWaits`, so no more than these are ever beyond the limit.
   */
  async aside<T>(wait: () => Promise<T>): Promise<T> {
    this.metrics.requestsInFlight.read--;
    try {
      return await wait();
    } finally {
      this.metrics.requestsInFlight.read++;
    }
  }

  private hasRoom(kind: Kind): boolean {
    return this.metrics.requestsInFlight[kind] < this.limits.atWork;
  }

  private refusal(kind: Kind): DomainError {
    this.metrics.requestsRejected.inc({ kind });
    return new DomainError(
      'unavailable',
      'the service has as much to do as it can bear: nothing of this request was done',
    );
  }
}

type Kind = 'read' | 'write';

const kindOf = ({ method }: FastifyRequest): Kind =>
  method === 'GET' || method === 'HEAD' ? 'read' : 'write';
