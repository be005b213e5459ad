import { readConfig } from '@refledger/platform';
import { startFailure } from './start-failure.js';
import { startStandalone } from './start-standalone.js';

try {
  await startStandalone(readConfig(process.env));
} catch (error) {
  process.stderr.write(`Refledger could not start: ${startFailure(error) ?? (error instanceof Error ? error.stack : String(error))}\n`);
  process.exit(1);
}
