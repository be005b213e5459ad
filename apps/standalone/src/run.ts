import { readConfig, startFailure } from '@refledger/platform';
import { startStandalone } from './start-standalone.js';

/** Starts the service. If that fails, prints why and ends the process with 1. */
export const run = async (): Promise<void> => {
  try {
    await startStandalone(readConfig(process.env));
  } catch (error) {
    process.stderr.write(
      `Refledger could not start: ${startFailure(error) ?? (error instanceof Error ? error.stack : String(error))}\n`,
    );
    process.exit(1);
  }
};
