import { connect } from 'node:net';
import { scaledTimeout } from '../wait.js';

export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface RawOptions {
  /**
   * The number of responses to wait for. Fewer are returned if the server closes the connection
   * earlier.
   */
  readonly responses?: number;
  readonly timeoutMs?: number;
}

/**
 * Writes bytes to the service's socket as they are and returns the responses, for requests that no
 * proper client sends.
 */
export const exchangeRaw = (
  baseUrl: string,
  bytes: string | Buffer,
  { responses = 1, timeoutMs = scaledTimeout(5_000) }: RawOptions = {},
): Promise<RawResponse[]> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    const finish = (): void => {
      socket.destroy();
      resolve(responsesIn(received).slice(0, responses));
    };
    socket.setTimeout(timeoutMs, () => {
      socket.destroy();
      reject(
        new Error(
          `fewer than ${responses} responses within ${timeoutMs} ms: ${JSON.stringify(received.toString())}`,
        ),
      );
    });
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (responsesIn(received).length >= responses) finish();
    });
    // a server that refuses may reset the connection while the request is still being sent; the
    // responses received before that count
    socket.on('error', (error) => (received.length > 0 ? finish() : reject(error)));
    socket.on('close', finish);
    socket.write(bytes);
  });

const responsesIn = (bytes: Buffer): RawResponse[] => {
  const responses: RawResponse[] = [];
  for (let rest = bytes; ;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return responses;
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = new Map(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const length = Number(headers.get('content-length') ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    if (body.length < length) return responses;
    const status = Number(statusLine.split(' ')[1]);
    if (status >= 200) responses.push({ status, headers, text: body.toString('utf8') });
    rest = rest.subarray(end + 4 + length);
  }
};
