import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { DomainError, type ProblemCode } from '@refledger/contracts';
import { problemResponse } from './problem-response.js';
import { requestIdOf } from '../request/request-id.js';

/**
 * The maximum length of a URL. Node reads at most 16 KiB of request line and headers; a URL may
 * take half of that.
 */
export const maxUrlLength = 8_192;

/**
 * Responds with a problem to a request that Node's HTTP parser could not read, and closes the
 * connection. A connection that has sent nothing is closed without a response: if its client sent a
 * request at the same instant, the client would take the problem for the response to that request.
 */
export const respondToBrokenRequest = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0) {
    socket.destroy();
    return;
  }
  const code = codeOf(error);
  const { problem } = problemResponse(
    new DomainError(
      code,
      error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'The request took too long to arrive. Send it again.'
        : (details[code] ??
            'The request is not valid HTTP/1.1. Check the request line and the headers.'),
    ),
    requestIdOf({ headers: {} }),
  );
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${problem.request_id}\r\nConnection: close\r\n\r\n${body}`,
  );
};

/**
 * An overflow within the request line, or after a very long one, means that the URL is too long;
 * otherwise the headers are too large.
 */
const codeOf = (error: NodeJS.ErrnoException): ProblemCode => {
  if (error.code !== 'HPE_HEADER_OVERFLOW') return 'bad_request';
  const lineEnd =
    'rawPacket' in error && error.rawPacket instanceof Buffer ? error.rawPacket.indexOf('\r\n') : 0;
  return lineEnd === -1 || lineEnd > maxUrlLength ? 'uri_too_long' : 'headers_too_large';
};

const details: Partial<Record<ProblemCode, string>> = {
  uri_too_long: 'The URL is too long. Send a shorter URL.',
  headers_too_large: 'The headers are larger than 16 KiB in total. Send fewer or shorter headers.',
};
