import { hash, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

type Sent = Pick<IncomingMessage, 'headers'>;

/**
 * The id by which the log and the events know a request: a UUID that the client sent, or a new one.
 * Any other `X-Request-Id` may name a person, so only its hash is kept.
 */
export const requestIdOf = (request: Sent): string => {
  const sent = sentRequestId(request);
  if (sent === undefined) return randomUUID();
  return uuid.test(sent) ? sent : `sha256-${hash('sha256', sent).slice(0, 32)}`;
};

/** The `X-Request-Id` of the response: what the client sent, or the generated id. */
export const responseRequestId = ({
  raw,
  id,
}: {
  readonly raw: Sent;
  readonly id: string;
}): string => sentRequestId(raw) ?? id;

/** The request's `X-Request-Id` if it has 1 to 128 printable ASCII characters. */
const sentRequestId = ({ headers }: Sent): string | undefined => {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && /^[\x20-\x7e]{1,128}$/.test(sent) ? sent : undefined;
};

/** A UUID of any version, or its digits alone (the `$request_id` of nginx). */
const uuid = /^[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-|[0-9a-f]{12})[0-9a-f]{12}$/i;
