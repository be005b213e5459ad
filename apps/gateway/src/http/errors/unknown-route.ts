import { DomainError, operations } from '@refledger/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { docsPaths } from '../../docs/docs.routes.js';

/**
 * The error for a path that has no route with this method: 405 with the allowed methods, or 404.
 */
export const unknownRoute = (
  method: string,
  url: string,
): { readonly error: DomainError; readonly headers: Readonly<Record<string, string>> } => {
  const path = pathOf(url);
  const allowed = routesOf(path).flatMap(({ methods }) => methods);
  if (allowed.length === 0)
    return {
      error: new DomainError(
        'not_found',
        `There is no resource at ${JSON.stringify(path.slice(0, 200))}. See /docs for the API.`,
      ),
      headers: {},
    };
  return {
    error: new DomainError(
      'method_not_allowed',
      `${method.slice(0, 20)} is not allowed here. Use ${allowed.join(', ')}.`,
    ),
    headers: { Allow: allowed.join(', ') },
  };
};

/** The error for a request without a route. Sets the headers that belong to it. */
export const refuseUnknownRoute = (request: FastifyRequest, reply: FastifyReply): DomainError => {
  const { error, headers } = unknownRoute(request.method, request.raw.url ?? '');
  void reply.headers(headers);
  return error;
};

/**
 * Whether a request has a route. A path that a route names literally, such as
 * `/v1/webhooks/subscribe`, is not a record of a route that also takes ids there.
 */
export const hasRoute = ({ is404, raw, routeOptions }: FastifyRequest): boolean =>
  !is404 && !(routeOptions.url?.includes(':') === true && literalPaths.has(pathOf(raw.url ?? '')));

const pathOf = (url: string): string => (url.split('?')[0] ?? '').replace(/(?<=.)\/$/, '');

/** The routes of a path. A path that a route names literally is not a record of another route. */
const routesOf = (path: string): typeof routes => {
  const literal = routes.filter((route) => route.path === path);
  return literal.length > 0 ? literal : routes.filter(({ pattern }) => pattern.test(path));
};

const others = [...docsPaths, '/health/live', '/health/ready'].map((path) => ({
  path,
  method: 'GET',
}));

const routes = [...Object.values(operations), ...others].map(({ path, method }) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
  methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
}));

const literalPaths = new Set(routes.map(({ path }) => path).filter((path) => !path.includes(':')));
