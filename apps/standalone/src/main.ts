import { exitWithStartFailure, readConfig } from '@refledger/platform';
import { startStandalone } from './start-standalone.js';

try {
  await startStandalone(readConfig(process.env));
} catch (error) {
  exitWithStartFailure('Refledger', error);
}
