import { ConfigError, readConfig } from '@refledger/platform';
import { startStandalone } from './start-standalone.js';

try {
  await startStandalone(readConfig(process.env));
} catch (error) {
  // what an operator can mend is said in words; anything else with its stack
  const known = error instanceof ConfigError || (error instanceof Error && ['FolderLocked', 'EventLogError', 'ReadStoreError', 'SqliteError', 'DeliveryStoreError'].includes(error.name));
  process.stderr.write(`Refledger could not start: ${known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}
