import { connect } from 'node:net';
import { patient } from './wait.js';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface RawOptions {
  /**
   * The number of answers to wait for. Fewer are returned if the server closes the connection
   * before.
   */
  readonly answers?: number;
  readonly timeoutMs?: number;
}

/**
 * Writes bytes to the service's socket as they are and returns the answers, for requests that no
 * proper client sends.
 */
export const exchangeRaw = (
  baseUrl: string,
  bytes: string | Buffer,
  { answers = 1, timeoutMs = patient(5_000) }: RawOptions = {},
): Promise<RawAnswer[]> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    const finish = (): void => {
      socket.destroy();
      resolve(answersIn(received).slice(0, answers));
    };
    socket.setTimeout(timeoutMs, () => {
      socket.destroy();
      reject(
        new Error(
          `no ${answers} answers in ${timeoutMs} ms, only ${JSON.stringify(received.toString())}`,
        ),
      );
    });
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (answersIn(received).length >= answers) finish();
    });
    // a server that refuses may reset the connection while the request is still being sent; the
    // answers received before that count
    socket.on('error', (error) => (received.length > 0 ? finish() : reject(error)));
    socket.on('close', finish);
    socket.write(bytes);
  });

const answersIn = (bytes: Buffer): RawAnswer[] => {
  const answers: RawAnswer[] = [];
  for (let rest = bytes; ;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = new Map(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const length = Number(headers.get('content-length') ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    if (body.length < length) return answers;
    const status = Number(statusLine.split(' ')[1]);
    if (status >= 200) answers.push({ status, headers, text: body.toString('utf8') });
    rest = rest.subarray(end + 4 + length);
  }
};
