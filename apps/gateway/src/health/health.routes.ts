import type { EventLog } from '@refledger/event-log';
import type { Health } from '@refledger/platform';
import type { FastifyInstance } from 'fastify';

/**
 * `/health/live`: the process responds. `/health/ready`: every part can do its work; a 503 names
 * the parts that cannot.
 */
export const registerHealth = (fastify: FastifyInstance, health: Health): void => {
  fastify.get('/health/live', (_request, reply) => reply.send({ status: 'live' }));
  fastify.get('/health/ready', (_request, reply) => {
    const report = health.summary();
    return reply.code(report.ready ? 200 : 503).send(report);
  });
};

/** The gateway is ready while its last append to the log, and its last read, succeeded. */
export const requireLog = (health: Health, { availability }: EventLog): void =>
  health.require('gateway', () => {
    const failure = availability?.failure;
    return failure === undefined ? undefined : `the event log is unavailable: ${failure}`;
  });
