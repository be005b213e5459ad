import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { allSecrets, toInstant } from '@refledger/contracts';
import { loggedError } from './logged-error.js';

/** The logger that every part of a service takes. */
export type Logger = PinoLogger;

/**
 * Creates a logger that writes JSON lines to stderr, so that stdout is left for the output that a
 * person or script waits for.
 */
export const newLogger = (
  level: string,
  role: string,
  destination: DestinationStream = logDestination(2),
): Logger =>
  pino(
    {
      level,
      base: { role },
      timestamp: () => `,"time":"${toInstant(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: loggedError },
      redact: { paths: secretPaths, censor: '[secret]' },
    },
    destination,
  );

/**
 * A destination that batches the lines of each tenth of a second, since a write costs more than
 * producing a line. It writes synchronously, so that no line is lost when the process or thread
 * exits, and a reader that stalls cannot fill the memory. A killed process loses the pending lines,
 * so nothing important is kept only in the log.
 */
export const logDestination = (fd: number) => {
  const destination = pino.destination({
    dest: fd,
    sync: true,
    minLength: 65_536,
    maxWrite: 1_000_000,
    periodicFlush: 100,
    // in text mode, each line would copy the whole batch and count its bytes again
    contentMode: 'buffer',
  });
  // in this mode `write` takes bytes, although its type says otherwise
  const write = destination.write.bind(destination) as unknown as (bytes: Buffer) => boolean;
  destination.write = (line) => write(Buffer.from(line));
  process.once('exit', () => destination.flushSync());
  return destination;
};

/** The paths at which a secret could be if code logged a whole request or record by mistake. */
const secretPaths = [
  ...['authorization', 'api_key', ...Object.keys(allSecrets)].flatMap((name) => [
    name,
    `*.${name}`,
  ]),
  'headers.authorization',
  '*.headers.authorization',
];
