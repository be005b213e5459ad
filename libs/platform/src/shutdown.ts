import { onEndSignals } from './end-signals.js';
import type { Logger } from './logger.js';

/**
 * Shuts down on SIGTERM and SIGINT: closes once, and exits with 1 after `graceMs` milliseconds or
 * on a second signal.
 */
export const closeOnSignals = (
  close: () => Promise<void>,
  logger: Logger,
  graceMs = 10_000,
): void => {
  const first = (signal: string): void => {
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      logger.error(`not stopped after ${graceMs / 1_000} s; exiting anyway`);
      process.exit(1);
    }, graceMs).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  onEndSignals({ first, again: () => process.exit(1) });
};
