import { enginesOf } from '@refledger/engines';
import { ConfigError, readConfig } from '@refledger/platform';
import { distributedEngines } from './distributed.js';
import { embeddedEngines } from './embedded.js';
import type { OperatorEngines } from './engines.js';

/**
 * Opens the engines that the environment names. `dataDir` takes precedence over `DATA_DIR`. Throws
 * `ConfigError`.
 */
export const openEngines = (
  environment: Readonly<Record<string, string | undefined>>,
  dataDir = environment['DATA_DIR'],
): OperatorEngines => {
  const engines = enginesOf(environment);
  if ('problems' in engines) throw new ConfigError(engines.problems);
  const open = { embedded: embeddedEngines, distributed: distributedEngines }[engines.mode];
  // most commands need no SECRETS_KEY, so an invalid one must not prevent them
  const readSecretsKeys = () => readConfig({ SECRETS_KEY: environment['SECRETS_KEY'] }).secretsKeys;
  return open(engines, readConfig({ DATA_DIR: dataDir }).dataDir, readSecretsKeys);
};
