import { fastify } from 'fastify';
import { serveParent } from '../process/child.js';
import type { Target } from '../load/load-plan.js';

/** The responses of a bare Fastify, except to new conversions and affiliates. */
export interface BareFastifyStart {
  readonly responses: readonly Target[];
}
export interface BareFastifyAddress {
  readonly origin: string;
}

/**
 * The minimum that Fastify can do: parse a POST and answer with the same body, and answer any other
 * request with prepared bytes.
 */
const start = async ({ responses }: BareFastifyStart): Promise<BareFastifyAddress> => {
  const bodies = new Map(responses.map(({ path, sent = '', body }) => [path + sent, body]));
  const server = fastify();
  for (const path of ['/v1/conversions', '/v1/affiliates'])
    server.post(path, (request, reply) => reply.code(201).send(request.body));
  server.post('/*', (request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .send(bodies.get(request.url + JSON.stringify(request.body)) ?? '{}'),
  );
  server.get('/*', (request, reply) =>
    reply.type('application/json; charset=utf-8').send(bodies.get(request.url) ?? '{}'),
  );
  return { origin: await server.listen({ host: '127.0.0.1', port: 0 }) };
};

serveParent(start);
