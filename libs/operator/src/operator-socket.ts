import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { DomainError, problemCodes, type ProblemCode } from '@refledger/contracts';
import { operatorCommandSchema, type OperatorCommand } from './operator-command.js';

/**
 * Returns the address on which the service of a data directory takes operators' commands: a socket
 * in the directory, or a named pipe on Windows. A socket's address is limited to about 100 bytes;
 * if it would be longer, the socket is in the user's own directory within the temporary directory.
 */
export const operatorSocketPath = (dataDirectory: string): string => {
  const name = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\refledger-${name}`;
  const inFolder = join(dataDirectory, 'ops.sock');
  return Buffer.byteLength(inFolder) <= 100
    ? inFolder
    : join(tmpdir(), `refledger-${userInfo().uid}-${name}`, 'ops.sock');
};

/**
 * Serves operators' commands until it is closed. Only the user who runs the service may connect
 * (mode 0600).
 */
export const serveOperator = async (
  path: string,
  carryOut: (command: OperatorCommand) => Promise<boolean>,
): Promise<{ close(): Promise<void> }> => {
  const server = createServer((incoming, response) => {
    readBody(incoming)
      .then((body) => carryOut(operatorCommandSchema.parse(JSON.parse(body))))
      .then(
        (isNew) => ({ status: 200, body: { new: isNew } }),
        (error: unknown) =>
          error instanceof DomainError
            ? {
                status: problemCodes[error.code].status,
                body: { code: error.code, detail: error.message, payouts: error.extras.payouts },
              }
            : { status: 500, body: { code: 'internal', detail: String(error) } },
      )
      .then(
        ({ status, body }) =>
          response
            .writeHead(status, { 'content-type': 'application/json' })
            .end(JSON.stringify(body)),
        () => response.destroy(),
      );
  });
  if (process.platform !== 'win32') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // a killed service may have left its socket behind; it is safe to remove, since this process
    // holds the directory's lock
    rmSync(path, { force: true });
  }
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(path, resolve),
    );
  } finally {
    process.umask(before);
  }
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/**
 * Sends a command to the running service. Resolves to whether the command was new, or to undefined
 * when no service listens. Throws `DomainError` when the service refuses it.
 */
export const sendToService = (
  path: string,
  command: OperatorCommand,
): Promise<boolean | undefined> =>
  new Promise((resolve, reject) => {
    const call = request(
      {
        socketPath: path,
        method: 'POST',
        path: '/commands',
        headers: { 'content-type': 'application/json' },
        timeout: 30_000,
      },
      (response) => {
        readBody(response)
          .then((text) => isNewIn(response.statusCode, text))
          .then(resolve, reject);
      },
    );
    call.once('timeout', () =>
      call.destroy(
        new Error('the service did not respond within 30 s. Check its log and try again.'),
      ),
    );
    call.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? resolve(undefined) : reject(error),
    );
    call.end(JSON.stringify(command));
  });

/** Whether a response says that the command was new. Throws `DomainError` if it says neither. */
const isNewIn = (status: number | undefined, text: string): boolean => {
  const { new: isNew, code, detail, payouts } = responseIn(text);
  if (status === 200 && typeof isNew === 'boolean') return isNew;
  throw new DomainError(
    code ?? 'internal',
    detail ?? 'the service sent an invalid response. Use the ops command of the same release.',
    payouts && { payouts },
  );
};

interface OperatorResponse {
  readonly new?: boolean;
  readonly code?: ProblemCode;
  readonly detail?: string;
  /** The payouts that a refusal names. */
  readonly payouts?: readonly string[];
}

const responseIn = (text: string): OperatorResponse => {
  try {
    // decoding boundary: `serveOperator` sends these fields
    return (JSON.parse(text) as OperatorResponse | null) ?? {};
  } catch {
    return {};
  }
};

const maxBytes = 65_536;

const readBody = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('the message is larger than 64 KiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
