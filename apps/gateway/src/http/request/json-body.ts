import type { FastifyInstance } from 'fastify';
import type { InflightBodies } from '../limits/inflight-bodies.js';
import { jsonReader } from './read-json.js';

/**
 * Accepts bodies of a single JSON value. A DELETE may have the Content-Type header without a body.
 */
export const acceptJson = (fastify: FastifyInstance, bodies: InflightBodies): void => {
  const readJson = jsonReader(fastify, 'body');
  fastify.addContentTypeParser('application/json', (request, payload, done) =>
    bodies.read(payload, (error, body = Buffer.alloc(0)) => {
      if (error !== null) return done(error);
      if (body.length === 0 && request.method === 'DELETE') return done(null, undefined);
      readJson(request, body, done);
    }),
  );
};
