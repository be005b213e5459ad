import type { FastifyInstance } from 'fastify';
import { refuseUnknownRoute } from './errors/unknown-route.js';

/** Sends a browser that opens the service's address to the documentation. */
export const registerHome = (fastify: FastifyInstance): void => {
  fastify.get('/', (request, reply) => {
    void reply.header('vary', 'accept');
    if (/\btext\/html\b/i.test(request.headers.accept ?? '')) return reply.redirect('/docs');
    throw refuseUnknownRoute(request, reply);
  });
};
