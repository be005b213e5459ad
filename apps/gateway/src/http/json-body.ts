import { isUtf8 } from 'node:buffer';
import { DomainError } from '@refledger/contracts';
import type { FastifyInstance } from 'fastify';
import type { InflightBodies } from './inflight-bodies.js';

/** The only body that is understood: one JSON value in UTF-8. A DELETE may carry the header without a body. */
export const acceptJsonOnly = (fastify: FastifyInstance, bodies: InflightBodies): void => {
  const parseJson = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', (request, payload, done) =>
    bodies.read(payload, (error, body = Buffer.alloc(0)) => {
      if (error !== null) return done(error);
      if (body.length === 0 && request.method === 'DELETE') return done(null, undefined);
      if (!isUtf8(body)) return done(new DomainError('malformed_json', 'the body is not UTF-8'));
      const text = body.toString('utf8');
      // the parser is Fastify's own: it refuses __proto__ and constructor.prototype
      void parseJson(request, text, (fault: Error | null, value?: unknown) =>
        fault === null ? done(null, value) : done(refusal(text)),
      );
    }),
  );
};

/** What the parser refuses is not JSON, or JSON with a key that no record can have. */
const refusal = (text: string): DomainError => {
  if (text === '')
    return new DomainError('malformed_json', 'the body is empty; send one JSON value');
  const fault = syntaxFault(text);
  if (fault !== undefined)
    return new DomainError('malformed_json', `the body is not JSON: ${fault}`);
  const message =
    'the keys __proto__ and constructor.prototype are not accepted anywhere in a body';
  return new DomainError('validation_failed', message, {
    errors: [{ path: '', code: 'forbidden_key', message }],
  });
};

/** What is wrong, and where, in the words of the engine. */
const syntaxFault = (text: string): string | undefined => {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
