import type { Logger } from './logger.js';

/**
 * Logs an error that nothing has caught, and exits with 1. Node itself would print all fields of
 * the error, which may hold personal values.
 */
export const exitOnUncaught = (logger: Logger): void => {
  process.once('uncaughtException', (error: unknown) => {
    logger.fatal({ err: error }, 'an unexpected error; exiting');
    process.exit(1);
  });
};
