import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

/**
 * Nest on a Fastify instance that is complete already: what each request passes (keys, limits, the problem shape, 404 and 405) is set up
 * once in `newFastify`, so Nest's own not-found and error handlers and its middleware engine stay out of the way.
 */
export class GatewayAdapter extends FastifyAdapter {
  constructor(instance: FastifyInstance) {
    // Nest asks for its own, narrower type of a Fastify instance
    super(instance as never);
  }

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
