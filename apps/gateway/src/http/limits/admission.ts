import { DomainError, includesScope, type OperationSpec, type Scope } from '@refledger/contracts';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { isNdjson } from '../request/ndjson-body.js';
import type { Allowance } from './rate-limiter.js';

/**
 * Rejects a request to an operation before its body is read, in the contract's order. A body sent
 * with GET is ignored. This is a single hook because every request pays for each hook.
 */
export const admission = (
  { scope, bodyLine }: OperationSpec,
  { maxBodyBytes, maxImportBytes }: BodySizes,
): onRequestHookHandler => {
  const takesLines = bodyLine !== undefined;
  const maxBytes = takesLines ? maxImportBytes : maxBodyBytes;
  return (request, reply, done) =>
    done(
      scopeFault(request, scope) ??
        allowanceFault(request, reply) ??
        (request.method === 'GET' || request.method === 'HEAD'
          ? undefined
          : (sizeFault(request, maxBytes) ??
            encodingFault(request) ??
            (takesLines ? linesFault(request) : undefined))),
    );
};

/** The largest bodies that are accepted. */
export interface BodySizes {
  readonly maxBodyBytes: number;
  readonly maxImportBytes: number;
}

/** 403 unless the caller's scope includes the scope that the operation needs. */
const scopeFault = ({ caller }: FastifyRequest, needed: Scope): DomainError | undefined => {
  if (caller === null)
    return new DomainError(
      'unauthenticated',
      'The request has no API key. Send Authorization: Bearer <API_KEY>.',
    );
  return includesScope(caller.scope, needed)
    ? undefined
    : new DomainError(
        'insufficient_scope',
        `This operation needs scope ${needed}, but the key has scope ${caller.scope}. Use a key with scope ${needed}.`,
      );
};

/**
 * 429 when the key's allowance is used up. The request was deducted from it when the key was
 * recognized.
 */
const allowanceFault = (
  { allowance }: FastifyRequest,
  reply: FastifyReply,
): DomainError | undefined => {
  if (allowance?.overLimit !== true) return undefined;
  void reply.header('retry-after', allowance.resetSeconds);
  return new DomainError(
    'rate_limited',
    `This key has used up its requests for this minute. Wait ${allowance.resetSeconds} s.`,
  );
};

/**
 * 413 as soon as the declared length exceeds the limit, before the content type is checked. A body
 * without a declared length is cut off while it is read.
 */
const sizeFault = ({ headers }: FastifyRequest, maxBodyBytes: number): DomainError | undefined =>
  Number(headers['content-length'] ?? 0) > maxBodyBytes
    ? new DomainError(
        'payload_too_large',
        `The body is larger than ${maxBodyBytes} bytes. Send a smaller body.`,
      )
    : undefined;

/** 415 for a body that is not declared as NDJSON, before it is read. */
const linesFault = ({ headers }: FastifyRequest): DomainError | undefined =>
  isNdjson(headers['content-type'])
    ? undefined
    : new DomainError(
        'unsupported_media_type',
        'The body is not declared as NDJSON. Send Content-Type: application/x-ndjson.',
      );

/** 415 for a compressed body: only plain JSON is read. */
const encodingFault = ({ headers }: FastifyRequest): DomainError | undefined => {
  const encoding = headers['content-encoding'];
  return encoding === undefined || encoding === 'identity'
    ? undefined
    : new DomainError(
        'unsupported_media_type',
        'The body is compressed. Send it without Content-Encoding.',
      );
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The rest of the key's allowance; null without a limit or a key. */
    allowance: Allowance | null;
  }
}
