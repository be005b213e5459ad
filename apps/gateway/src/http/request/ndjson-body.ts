import { DomainError, operations, type OperationSpec } from '@refledger/contracts';
import type { FastifyInstance } from 'fastify';
import { jsonReader } from './read-json.js';

/** A body of NDJSON, which is read while it arrives. */
export interface NdjsonBody {
  readonly chunks: AsyncIterable<Buffer>;
  /** Reads the JSON value of a line. Throws `malformed_json`, or `validation_failed` for a key. */
  readonly readLine: (bytes: Buffer) => unknown;
  readonly isClientGone: () => boolean;
}

/** Accepts bodies of NDJSON, only for operations that take them. */
export const acceptNdjson = (fastify: FastifyInstance): void => {
  const readJson = jsonReader(fastify, 'line');
  fastify.addContentTypeParser('application/x-ndjson', (request, payload, done) => {
    const { operation } = request.routeOptions.config;
    const spec: OperationSpec | undefined = operation && operations[operation];
    if (spec?.bodyLine === undefined) return done(notTaken());
    const readLine = (bytes: Buffer): unknown => {
      let [fault, read]: [DomainError | null, unknown] = [null, undefined];
      readJson(request, bytes, (error, value) => ([fault, read] = [error, value]));
      if (fault !== null) throw fault as DomainError;
      return read;
    };
    const isClientGone = (): boolean => request.raw.socket.destroyed;
    done(null, { chunks: payload, readLine, isClientGone } satisfies NdjsonBody);
  });
};

/** Whether the Content-Type of a request is that of NDJSON. */
export const isNdjson = (contentType: string | undefined): boolean =>
  /^application\/x-ndjson[\t ]*(;|$)/i.test(contentType ?? '');

const notTaken = (): DomainError =>
  new DomainError(
    'unsupported_media_type',
    'This operation does not take NDJSON. Send Content-Type: application/json.',
  );
