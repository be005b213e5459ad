import { ConfigError, enginesOf, readConfig } from '@refledger/platform';
import { distributedEngines } from './distributed.js';
import { embeddedEngines } from './embedded.js';
import type { OperatorEngines } from './engines.js';

/**
 * Opens the engines that the environment names. `dataDir` takes precedence over `DATA_DIR`. Throws
 * `ConfigError`.
 */
export const openEngines = (
  environment: NodeJS.ProcessEnv,
  dataDir = environment['DATA_DIR'],
): OperatorEngines => {
  const engines = enginesOf(environment);
  if ('problems' in engines) throw new ConfigError(engines.problems);
  switch (engines.mode) {
    case 'embedded':
      return embeddedEngines(readConfig({ DATA_DIR: dataDir }).dataDir);
    case 'distributed':
      return distributedEngines(engines);
  }
};
