import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

/**
 * Runs Nest on a complete Fastify instance. `newFastify` sets up everything that applies to each
 * request (keys, limits, the problem format, 404 and 405), so Nest's not-found and error handlers
 * and its middleware engine are disabled.
 */
export class GatewayAdapter extends FastifyAdapter {
  constructor(instance: FastifyInstance) {
    // Nest asks for its own, narrower type of Fastify instance.
    super(instance as never);
  }

  /** Skips Nest's middleware engine. */
  override init(): Promise<void> {
    return Promise.resolve();
  }

  override setErrorHandler(): never {
    return this.getInstance();
  }

  override setNotFoundHandler(): never {
    return this.getInstance();
  }
}
