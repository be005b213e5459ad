import type { Logger } from '@refledger/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemAnswer } from './problem-answer.js';

/** Answers a request with the problem for an error, and logs the internal cause. */
export const problemSender =
  (logger: Logger) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
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
