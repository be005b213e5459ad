import { answerJsonSchema, operations, type OperationId, type OperationSpec } from '@refledger/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readCall, type Answer } from './call.js';
import type { Handlers } from './operation.decorator.js';
import { requireAllowance, requirePlainBody, requireScope, requireSize } from './admission.js';

/** Makes one Fastify route an operation: its checks as hooks, its answers through serialisers compiled at the start. */
export const registerOperations = (fastify: FastifyInstance, handlers: Handlers, maxBodyBytes: number): void => {
  for (const [id, spec] of Object.entries(operations) as [OperationId, OperationSpec][]) {
    const handle = handlers.get(id);
    if (handle === undefined) throw new Error(`no controller carries out ${id}`);
    fastify.route({
      method: spec.method,
      url: spec.path,
      bodyLimit: maxBodyBytes,
      config: { operation: id },
      onRequest: [requireScope(spec.scope), requireAllowance, requireSize(maxBodyBytes), requirePlainBody],
      schema: { response: answerSchemas(id, spec) },
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        if (request.caller === null) throw new Error('an operation is reached only with a key');
        const answer = await handle(readCall(id, request, request.caller));
        return send(reply, answer);
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
  Object.fromEntries(Object.entries(spec.answers).flatMap(([status, schema]) => (schema === null ? [] : [[status, answerJsonSchema(id, Number(status))]])));

const send = (reply: FastifyReply, { status, body, headers }: Answer): FastifyReply => {
  if (headers !== undefined) reply.headers(headers);
  return reply.code(status).send(body);
};
