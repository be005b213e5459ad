import type { Logger, Metrics } from '@refledger/platform';
import type { onResponseHookHandler } from 'fastify';

/** Counts each response and writes one log line per response. */
export const logResponses = (logger: Logger, metrics: Metrics): onResponseHookHandler => {
  // These fields hold no secret, and searching them for one costs more than the rest of the line.
  const plain = logger.child({}, { redact: [] });
  return (request, reply, done) => {
    const operation = request.routeOptions.config.operation ?? 'other';
    const { elapsedTime, statusCode } = reply;
    metrics.requestSeconds.observe({ operation, status: String(statusCode) }, elapsedTime / 1_000);
    plain.info(
      {
        request_id: request.id,
        key_id: request.caller?.keyId,
        account_id: request.caller?.accountId,
        operation,
        method: request.method,
        path: pathOf(request.url),
        status: statusCode,
        duration_ms: Math.round(elapsedTime * 100) / 100,
      },
      'request',
    );
    done();
  };
};

const pathOf = (url: string): string => {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
};
