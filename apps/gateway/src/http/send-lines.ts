import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * Sends lines of text, such as NDJSON or CSV, as they are read. A HEAD request gets the headers
 * only, and nothing is read for it.
 */
export const sendLines = (reply: FastifyReply, lines: Readable, contentType: string): void => {
  const isHead = reply.request.method === 'HEAD';
  if (isHead) lines.destroy();
  void reply.header('content-type', contentType).send(isHead ? Readable.from([]) : lines);
};
