import { isId, operations, type IdKind, type OperationSpec } from '@refledger/contracts';
import type { Logger, Metrics } from '@refledger/platform';
import type { onResponseHookHandler } from 'fastify';
import type { PathRequest } from './request/call.js';

/**
 * Counts each response and writes one log line per response. Of the URL, the line has the route's
 * pattern and the ids: a path without a route, or a query, may name a person.
 */
export const logResponses = (logger: Logger, metrics: Metrics): onResponseHookHandler => {
  // These fields hold no secret, and searching them for one costs more than the rest of the line.
  const plain = logger.child({}, { redact: [] });
  return (request, reply, done) => {
    const { config, url } = request.routeOptions;
    const { operation = 'other' } = config;
    const { elapsedTime, statusCode } = reply;
    metrics.requestSeconds.observe({ operation, status: String(statusCode) }, elapsedTime / 1_000);
    plain.info(
      {
        request_id: request.id,
        key_id: request.caller?.keyId,
        account_id: request.caller?.accountId,
        operation,
        method: request.method,
        route: url,
        ...(operation !== 'other' && idsIn(request.params, operations[operation])),
        status: statusCode,
        duration_ms: Math.round(elapsedTime * 100) / 100,
      },
      'request',
    );
    done();
  };
};

/** The parameters of a path that have the form of their ids. */
const idsIn = (params: unknown, { id, ids }: OperationSpec): Readonly<Record<string, string>> => {
  const logged: Record<string, string> = {};
  const add = (name: string, kind: IdKind): void => {
    // Decoding boundary: the router has read them from the path.
    const value = (params as PathRequest['params'])[name] ?? '';
    if (isId(kind, value)) logged[name] = value;
  };
  if (id !== undefined) add('id', id);
  for (const name in ids) add(name, ids[name] ?? 'event');
  return logged;
};
