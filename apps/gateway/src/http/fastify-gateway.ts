import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger, Metrics } from '@refledger/platform';
import { fastify, type FastifyInstance } from 'fastify';
import { admitRequest } from './admit-request.js';
import { authenticate, needsKey, type Authentication } from './authenticate.js';
import { InflightBodies } from './limits/inflight-bodies.js';
import { respondToBrokenRequest, maxUrlLength } from './errors/broken-request.js';
import { acceptJson } from './request/json-body.js';
import { acceptNdjson } from './request/ndjson-body.js';
import { OpenConnections } from './limits/open-connections.js';
import { problemSender } from './errors/problem-response.js';
import { logResponses } from './log-responses.js';
import { requestIdOf } from './request/request-id.js';
import { originForm } from './request/request-target.js';
import { refuseUnknownRoute } from './errors/unknown-route.js';
import { SlowReaders } from './limits/slow-readers.js';
import type { ConcurrencyLimit } from './limits/concurrency-limit.js';

export interface FastifyGatewayOptions {
  readonly authentication: Authentication;
  readonly work: ConcurrencyLimit;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly maxBodyBytes: number;
}

/**
 * A Fastify instance with everything that applies to each request (ids, keys, limits, the problem
 * format, logs, metrics), and its connections.
 */
export const newFastify = ({
  authentication,
  work,
  logger,
  metrics,
  maxBodyBytes,
}: FastifyGatewayOptions): {
  readonly fastify: FastifyInstance;
  readonly connections: OpenConnections;
} => {
  const sendError = problemSender(logger);
  const app: FastifyInstance = fastify({
    genReqId: requestIdOf,
    rewriteUrl: ({ url = '/' }) => originForm(url),
    // The limit for receiving a whole request. Node looks for slow connections every second.
    requestTimeout: 30_000,
    // A request without Host is rejected below, as a problem like every other.
    http: { requireHostHeader: false, headersTimeout: 10_000, connectionsCheckingInterval: 1_000 },
    // On close, requests in progress are finished, and `OpenConnections` closes the connections.
    return503OnClosing: false,
    forceCloseConnections: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxUrlLength },
    clientErrorHandler: (error, socket) => {
      if (!connections.closesAfterResponse(socket)) respondToBrokenRequest(error, socket);
    },
    frameworkErrors: (error, request, reply) => {
      if (needsKey(request.raw.url ?? ''))
        authenticate(request, reply, authentication, (refused) =>
          sendError(refused ?? error, request, reply),
        );
      else sendError(error, request, reply);
    },
  });
  const connections: OpenConnections = new OpenConnections(app.server);
  new SlowReaders(app.server, metrics);
  // Ignore expectations other than 100-continue: Node's own 417 has no body, and RFC 9110 §10.1.1
  // leaves the choice to the server.
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    app.server.emit('request', request, response),
  );
  app.removeAllContentTypeParsers();
  acceptJson(app, new InflightBodies(metrics, maxBodyBytes));
  acceptNdjson(app);
  app.decorateRequest('caller', null);
  app.decorateRequest('allowance', null);

  const admit = admitRequest(authentication, work);
  app.addHook('onRequest', (request, reply, done) =>
    connections.inTurn(request.raw, () => admit(request, reply, done)),
  );
  app.addHook('onResponse', logResponses(logger, metrics));
  app.setErrorHandler(sendError);
  // Makes the hooks run for unknown routes too. The onRequest hook above has answered by then.
  app.setNotFoundHandler((request, reply) =>
    sendError(refuseUnknownRoute(request, reply), request, reply),
  );
  return { fastify: app, connections };
};
