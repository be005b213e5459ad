import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The request's `X-Request-Id` if it has 1 to 128 printable ASCII characters, else a new one. */
export const requestIdOf = (request: Pick<IncomingMessage, 'headers'>): string => {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && /^[\x20-\x7e]{1,128}$/.test(sent) ? sent : randomUUID();
};
