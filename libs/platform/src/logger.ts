import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { toInstant } from '@refledger/contracts';
import { logBatches } from './log-batches.js';

export type Logger = PinoLogger;

/**
 * Creates a logger that writes JSON lines to stderr, so that stdout is left for the output that a
 * person or script waits for.
 */
export const newLogger = (
  level: string,
  role: string,
  destination: DestinationStream = logBatches(pino.destination({ dest: 2, sync: false })),
): Logger =>
  pino(
    {
      level,
      base: { role },
      timestamp: () => `,"time":"${toInstant(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: '[secret]' },
    },
    destination,
  );

/** The paths at which a secret could be if code logged a whole request or record by mistake. */
const secretPaths = [
  'authorization',
  'secret',
  'api_key',
  '*.authorization',
  '*.secret',
  '*.api_key',
  'headers.authorization',
  '*.headers.authorization',
];
