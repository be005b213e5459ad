import {
  answerJsonSchema,
  operations,
  type OperationId,
  type OperationSpec,
} from '@refledger/contracts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { callReader, type Answer } from './call.js';
import type { Handlers } from './operation.decorator.js';
import { admission } from './admission.js';
import type { ConcurrencyLimit } from './concurrency-limit.js';

/**
 * Registers one Fastify route per operation, with its checks as hooks and its answers through
 * serialisers that are compiled at the start.
 */
export const registerOperations = (
  fastify: FastifyInstance,
  handlers: Handlers,
  { work, maxBodyBytes }: { readonly work: ConcurrencyLimit; readonly maxBodyBytes: number },
): void => {
  for (const [id, spec] of Object.entries(operations) as [OperationId, OperationSpec][]) {
    const handle = handlers.get(id);
    if (handle === undefined) throw new Error(`no controller carries out ${id}`);
    const readCall = callReader(id);
    fastify.route({
      method: spec.method,
      url: spec.path,
      config: { operation: id },
      onRequest: admission(spec.scope, maxBodyBytes),
      schema: { response: answerSchemas(id, spec) },
      // Not `async`: Fastify would wrap each request in one more promise.
      handler: (request, reply) => {
        const { caller } = request;
        if (caller === null) throw new Error('an operation is reached only with a key');
        work
          .run(request, () => handle(readCall(request, caller)))
          .then((answer) => send(reply, answer))
          .catch((error: unknown) => reply.send(asError(error)));
      },
    });
  }
};

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: OperationId;
  }
}

const answerSchemas = (id: OperationId, spec: OperationSpec): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(spec.answers).flatMap(([status, schema]) =>
      schema === null ? [] : [[status, answerJsonSchema(id, Number(status))]],
    ),
  );

const send = (reply: FastifyReply, { status, body, json, headers }: Answer): void => {
  for (const name in headers) void reply.header(name, headers[name]);
  void reply.code(status);
  if (json === undefined) void reply.send(body);
  else void reply.header('content-type', 'application/json; charset=utf-8').send(json);
};

/** Any value can be thrown, but Fastify answers only an `Error` as an error. */
const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
