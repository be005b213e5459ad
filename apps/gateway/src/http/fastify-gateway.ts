import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainError } from '@refledger/contracts';
import type { Logger, Metrics } from '@refledger/platform';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { authenticate, needsKey, type Authentication } from './authenticate.js';
import { BodiesUnderWay } from './bodies-under-way.js';
import { answerBrokenRequest, maxUrlLength } from './broken-request.js';
import { acceptJsonOnly } from './json-body.js';
import { OpenConnections } from './open-connections.js';
import { problemAnswer } from './problem-answer.js';
import { recordAnswers } from './record-answers.js';
import { requestIdOf } from './request-id.js';
import { isDecodable, originForm } from './request-target.js';
import { unknownRoute } from './unknown-route.js';
import { UnreadAnswers } from './unread-answers.js';
import type { WorkUnderWay } from './work-under-way.js';

export interface FastifyGatewayOptions {
  readonly authentication: Authentication;
  readonly work: WorkUnderWay;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly maxBodyBytes: number;
}

/** A Fastify instance on which everything that each request passes is in place: ids, keys, limits, the problem shape, logs, metrics; and its connections. */
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
  const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const answer = problemAnswer(error, request.id);
    if (answer.cause !== undefined && !request.raw.destroyed)
      logger.error({ err: answer.cause, request_id: request.id }, 'a request failed');
    void reply
      .code(answer.problem.status)
      .headers(answer.headers)
      .header('x-request-id', request.id)
      .type('application/problem+json')
      .send(Buffer.from(JSON.stringify(answer.problem)));
  };
  const app: FastifyInstance = fastify({
    genReqId: requestIdOf,
    rewriteUrl: ({ url = '/' }) => originForm(url),
    // for all of a request; a slow client's connection is looked for every second
    requestTimeout: 30_000,
    // a request without Host is refused below, in the shape of every other problem
    http: { requireHostHeader: false, headersTimeout: 10_000, connectionsCheckingInterval: 1_000 },
    // at the end requests under way are finished, and connections are closed by `OpenConnections`
    return503OnClosing: false,
    forceCloseConnections: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxUrlLength },
    clientErrorHandler: (error, socket) => {
      if (!connections.endsWithAnswer(socket)) answerBrokenRequest(error, socket);
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
  new UnreadAnswers(app.server, metrics);
  // what a client expects beyond 100 Continue is left aside: Node's own 417 has no body (RFC 9110 §10.1.1 leaves it open)
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    app.server.emit('request', request, response),
  );
  acceptJsonOnly(app, new BodiesUnderWay(metrics, { maxBodyBytes }));
  app.decorateRequest('caller', null);
  app.decorateRequest('allowance', null);

  const admit = (
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void => {
    void reply.header('x-request-id', request.id);
    if (!work.hasRoomFor(request)) return work.turnAway(request, done);
    const url = request.raw.url ?? '';
    if (url.length > maxUrlLength)
      return done(
        new DomainError('uri_too_long', `the address must have at most ${maxUrlLength} characters`),
      );
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
      return done(new DomainError('bad_request', 'a request of HTTP/1.1 must have a Host header'));
    if (!isDecodable(url))
      return done(new DomainError('bad_request', 'the query has a broken percent escape'));
    // before a body is read, which might be refused for reasons that come later in the order of checks
    const refuseUnknown = (refused?: Error): void =>
      done(refused ?? (request.is404 ? unknown(request, reply) : undefined));
    if (!needsKey(url) && request.routeOptions.config.operation === undefined)
      return refuseUnknown();
    authenticate(request, reply, authentication, refuseUnknown);
  };
  app.addHook('onRequest', (request, reply, done) =>
    connections.inTurn(request.raw, () => admit(request, reply, done)),
  );

  app.addHook('onResponse', recordAnswers(logger, metrics));
  app.setErrorHandler(sendError);
  // makes the hooks hold for what has no route, too; the one above has answered by then
  app.setNotFoundHandler((request, reply) => sendError(unknown(request, reply), request, reply));
  return { fastify: app, connections };
};

const unknown = (request: FastifyRequest, reply: FastifyReply): DomainError => {
  const { error, headers } = unknownRoute(request.method, request.raw.url ?? '');
  void reply.headers(headers);
  return error;
};
