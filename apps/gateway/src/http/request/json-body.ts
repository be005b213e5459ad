import { isUtf8 } from 'node:buffer';
import { DomainError } from '@refledger/contracts';
import type { FastifyInstance } from 'fastify';
import type { InflightBodies } from '../limits/inflight-bodies.js';

/**
 * Accepts only one kind of body: a single JSON value in UTF-8. A DELETE may have the Content-Type
 * header without a body.
 */
export const acceptJsonOnly = (fastify: FastifyInstance, bodies: InflightBodies): void => {
  const parseJson = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', (request, payload, done) =>
    bodies.read(payload, (error, body = Buffer.alloc(0)) => {
      if (error !== null) return done(error);
      if (body.length === 0 && request.method === 'DELETE') return done(null, undefined);
      if (!isUtf8(body))
        return done(
          new DomainError('malformed_json', 'The body is not UTF-8. Send JSON in UTF-8.'),
        );
      const text = body.toString('utf8');
      // This is Fastify's own parser: it rejects __proto__ and constructor.prototype.
      void parseJson(request, text, (fault: Error | null, value?: unknown) =>
        fault === null ? done(null, value) : done(refusal(text)),
      );
    }),
  );
};

/**
 * The error for a body that the parser rejects: it is not JSON, or it has a key that no record may
 * have.
 */
const refusal = (text: string): DomainError => {
  if (text === '')
    return new DomainError('malformed_json', 'The body is empty. Send one JSON value.');
  const fault = syntaxFault(text);
  if (fault !== undefined)
    return new DomainError(
      'malformed_json',
      `The body is not valid JSON: ${fault}. Send one JSON value.`,
    );
  const message = 'The body has a key __proto__ or constructor.prototype. Remove it.';
  return new DomainError('validation_failed', message, {
    errors: [{ path: '', code: 'forbidden_key', message }],
  });
};

/** What is wrong with the JSON and where, in the words of the JavaScript engine. */
const syntaxFault = (text: string): string | undefined => {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
