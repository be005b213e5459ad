import { DomainError, operations, type OperationSpec } from '@refledger/contracts';
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
  fastify.addContentTypeParser(
    /^application\/(merge|json)-patch\+json\b/i,
    (_request, _payload, done) => done(patchNotTaken()),
  );
};

/** 415 for the formats of RFC 7396 and RFC 6902, which say something else than a body here. */
const patchNotTaken = (): DomainError =>
  new DomainError(
    'unsupported_media_type',
    'The body is declared as a patch format. Here each field that is sent replaces the whole value, also objects such as metadata and terms. Send the fields to change, each with its whole new value, as Content-Type: application/json.',
  );

const needsBody = ({ routeOptions: { config } }: FastifyRequest): boolean => {
  if (config.operation === undefined) return false;
  const { body, bodyIsOptional }: OperationSpec = operations[config.operation];
  return body !== undefined && bodyIsOptional !== true;
};
