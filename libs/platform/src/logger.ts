import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

export type Logger = PinoLogger;

/** Structured logs as JSON lines on stderr, so that stdout stays for what a person or script waits for. */
export const newLogger = (level: string, role: string, destination: DestinationStream = pino.destination({ dest: 2, sync: false })): Logger =>
  pino({ level, base: { role }, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) }, redact: { paths: secretPaths, censor: '[secret]' } }, destination);

/** Where a secret could stand if someone logged a whole request or record by mistake. */
const secretPaths = ['authorization', 'secret', 'api_key', '*.authorization', '*.secret', '*.api_key', 'headers.authorization', '*.headers.authorization'];
