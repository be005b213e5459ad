import {
  responseJsonSchema,
  keysOf,
  operations,
  type OperationId,
  type OperationSpec,
} from '@refledger/contracts';
import { messageOf } from '@refledger/event-log';
import fastJson, { type Schema } from 'fast-json-stringify';
import type { FastifyInstance, FastifyReply, FastifySerializerCompiler } from 'fastify';
import { callReader, type ApiResponse, type PathRequest } from './request/call.js';
import type { Handlers } from './operation.decorator.js';
import { admission, type BodySizes } from './limits/admission.js';
import type { ConcurrencyLimit } from './limits/concurrency-limit.js';
import { sendLines } from './send-lines.js';

/**
 * Registers one Fastify route per operation, with its checks as hooks and its responses through
 * serialisers.
 */
export const registerOperations = (
  fastify: FastifyInstance,
  handlers: Handlers,
  { work, ...sizes }: BodySizes & { readonly work: ConcurrencyLimit },
): void => {
  for (const id of keysOf(operations)) {
    const spec: OperationSpec = operations[id];
    const handle = handlers.get(id);
    if (handle === undefined) throw new Error(`no controller implements ${id}`);
    const readCall = callReader(id);
    fastify.route<{ Params: PathRequest['params'] }>({
      method: spec.method,
      url: spec.path,
      config: { operation: id },
      onRequest: admission(spec, sizes),
      schema: { response: serialized(spec) },
      serializerCompiler: serializerOf(id),
      // Not `async`: Fastify would wrap each request in one more promise.
      handler: (request, reply) => {
        const { caller } = request;
        if (caller === null) throw new Error('an operation is reached only with a key');
        work
          .run(request, () => handle(readCall(request, caller)))
          .then((response) => send(reply, response))
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

/** The statuses whose responses are serialised, each with a schema that Fastify only passes on. */
const serialized = (spec: OperationSpec): Record<string, object> =>
  Object.fromEntries(
    Object.entries(spec.responses).flatMap(([status, schema]) =>
      schema === null || spec.streamed === true || spec.file === true ? [] : [[status, {}]],
    ),
  );

/**
 * Compiles each serialiser for the first response that needs it. Compiling all of them up front
 * would add two thirds of a second to the start.
 */
const serializerOf =
  (id: OperationId): FastifySerializerCompiler<object> =>
  ({ httpStatus }) => {
    let serialise: ((body: unknown) => string) | undefined;
    return (body) => {
      // zod's type for a JSON Schema is wider than that of the serialiser
      serialise ??= fastJson(responseJsonSchema(id, Number(httpStatus)) as Schema);
      return serialise(body);
    };
  };

const send = (reply: FastifyReply, response: ApiResponse): void => {
  const { status, body, json, ndjson, csv, headers } = response;
  for (const name in headers) void reply.header(name, headers[name]);
  void reply.code(status);
  if (ndjson !== undefined) sendLines(reply, ndjson, 'application/x-ndjson');
  else if (csv !== undefined) sendLines(reply, csv, 'text/csv; charset=utf-8');
  else if (json === undefined) void reply.send(body);
  else void reply.header('content-type', 'application/json; charset=utf-8').send(json);
};

/** Any value can be thrown, but Fastify treats only an `Error` as an error. */
const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(messageOf(thrown));
