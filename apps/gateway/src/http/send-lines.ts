import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Sends NDJSON as it is read. A HEAD request gets the headers only, and nothing is read for it. */
export const sendLines = (reply: FastifyReply, ndjson: Readable): void => {
  const isHead = reply.request.method === 'HEAD';
  if (isHead) ndjson.destroy();
  void reply
    .header('content-type', 'application/x-ndjson')
    .send(isHead ? Readable.from([]) : ndjson);
};
