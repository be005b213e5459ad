import { isUtf8 } from 'node:buffer';
import { DomainError } from '@refledger/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { duplicateKeyIn } from './duplicate-keys.js';

/** Reads a single JSON value in UTF-8, and passes it or an error on before it returns. */
type ReadJson = (
  request: FastifyRequest,
  bytes: Buffer,
  done: (error: DomainError | null, value?: unknown) => void,
) => void;

/**
 * Returns a function that reads JSON. `subject` names what is read in its errors. The parser is
 * Fastify's own: it rejects __proto__ and constructor.prototype.
 * An object that has a key twice is rejected as well.
 */
export const jsonReader = (fastify: FastifyInstance, subject: 'body' | 'line'): ReadJson => {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  return (request, bytes, done) => {
    if (!isUtf8(bytes))
      return done(
        new DomainError('malformed_json', `The ${subject} is not UTF-8. Send JSON in UTF-8.`),
      );
    const text = bytes.toString('utf8');
    void parse(request, text, (fault: Error | null, value?: unknown) =>
      fault === null
        ? done(duplicateRefusal(text, value, subject), value)
        : done(refusal(text, subject)),
    );
  };
};

/**
 * The error for text in which an object has a key twice. The parser keeps the last value, and a
 * request whose meaning depends on that must not move money.
 */
const duplicateRefusal = (text: string, value: unknown, subject: string): DomainError | null => {
  const path = duplicateKeyIn(text, value);
  if (path === undefined) return null;
  const message = `The ${subject} has the key ${path.slice(0, maxShown)} twice. Send each key once.`;
  return new DomainError('malformed_json', message, {
    errors: [{ path, code: 'duplicate_key', message }],
  });
};

/** How much of the path of a key the message shows. */
const maxShown = 200;

/**
 * The error for text that the parser rejects: it is not JSON, or it has a key that no record may
 * have.
 */
const refusal = (text: string, subject: string): DomainError => {
  if (text === '')
    return new DomainError('malformed_json', `The ${subject} is empty. Send one JSON value.`);
  const fault = syntaxFault(text);
  if (fault !== undefined)
    return new DomainError(
      'malformed_json',
      `The ${subject} is not valid JSON: ${fault}. Send one JSON value.`,
    );
  const message = `The ${subject} has a key __proto__ or constructor.prototype. Remove it.`;
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
