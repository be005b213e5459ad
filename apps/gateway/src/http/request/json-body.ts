import { operations, type OperationSpec } from '@refledger/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { InflightBodies } from '../limits/inflight-bodies.js';
import { jsonReader } from './read-json.js';

/**
 * Accepts bodies of a single JSON value. A request that needs no body may have the Content-Type
 * header all the same: many clients always send it.
 */
export const acceptJson = (fastify: FastifyInstance, bodies: InflightBodies): void => {
  const readJson = jsonReader(fastify, 'body');
  fastify.addContentTypeParser('application/json', (request, payload, done) =>
    bodies.read(payload, (error, body = Buffer.alloc(0)) => {
      if (error !== null) return done(error);
      if (body.length === 0 && !needsBody(request)) return done(null, undefined);
      readJson(request, body, done);
    }),
  );
};

const needsBody = ({ routeOptions: { config } }: FastifyRequest): boolean => {
  if (config.operation === undefined) return false;
  const { body, bodyIsOptional }: OperationSpec = operations[config.operation];
  return body !== undefined && bodyIsOptional !== true;
};
