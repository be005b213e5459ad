import { DomainError, operations } from '@refledger/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { docsPaths } from '../docs/docs.routes.js';

/** What a path that no route takes with this method answers: 405 with the methods that it has, or 404. */
export const unknownRoute = (
  method: string,
  url: string,
): { readonly error: DomainError; readonly headers: Readonly<Record<string, string>> } => {
  const path = (url.split('?')[0] ?? '').replace(/(?<=.)\/$/, '');
  const allowed = routes
    .filter(({ pattern }) => pattern.test(path))
    .flatMap(({ methods }) => methods);
  if (allowed.length === 0)
    return {
      error: new DomainError(
        'not_found',
        `there is nothing at ${JSON.stringify(path.slice(0, 200))}; /docs shows what there is`,
      ),
      headers: {},
    };
  return {
    error: new DomainError(
      'method_not_allowed',
      `${method.slice(0, 20)} is not allowed here; allowed: ${allowed.join(', ')}`,
    ),
    headers: { Allow: allowed.join(', ') },
  };
};

/** The refusal of a request that no route takes; sets the headers that belong to it. */
export const refuseUnknownRoute = (request: FastifyRequest, reply: FastifyReply): DomainError => {
  const { error, headers } = unknownRoute(request.method, request.raw.url ?? '');
  void reply.headers(headers);
  return error;
};

const others = [...docsPaths, '/health/live', '/health/ready'].map((path) => ({
  path,
  method: 'GET',
}));

const routes = [...Object.values(operations), ...others].map(({ path, method }) => ({
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
  methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
}));
