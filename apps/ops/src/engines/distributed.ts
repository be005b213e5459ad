import type { Engines } from '@refledger/engines';
import {
  CommandHandler,
  openExistingKeysOfLog,
  openKeyReaderOfLog,
  openStoredKeysOfLog,
} from '@refledger/application';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { carryOut, carryOutErasure } from '@refledger/operator';
import { openReadStore } from '@refledger/read-store';
import { openDeliveryReader } from '@refledger/delivery-store';
import { warningsTo } from '../console.js';
import { UsageError } from '../exit-codes.js';
import { withOpen } from '../with-open.js';
import { openTerms } from './open-terms.js';
import type { OperatorEngines } from './engines.js';
import { givenSecretsKeys, type ReadSecretsKeys, type SecretsKeys } from './secrets-keys.js';

/**
 * The engines that distributed services share. Any process that reaches them may append, so no
 * service needs to be asked or stopped.
 */
export const distributedEngines = (
  { eventLogUrl, readStoreUrl, deliveryStoreUrl, keyStoreUrl: url }: Engines,
  dataDir: string,
  readSecretsKeys: ReadSecretsKeys,
): OperatorEngines => {
  const openLog = () => openEventLog(eventLogUrl, { dataDir, mode: 'write' });
  const secretsKeys = (): SecretsKeys => {
    const keys = givenSecretsKeys(readSecretsKeys);
    if (keys === undefined)
      throw new UsageError('SECRETS_KEY is not set. Set it to the value that the services use.');
    return keys;
  };
  const openKeyStore = (log: EventLog) => openExistingKeysOfLog(log, { url, dataDir });
  return {
    openLog,
    openStore: () => openReadStore(readStoreUrl, { dataDir, mode: 'read' }),
    openTerms: () => openTerms({ url, dataDir, secretsKeys }),
    openDeliveries: () => openDeliveryReader(deliveryStoreUrl, { dataDir }),
    openKeys: (log) => openKeyReaderOfLog(log, { url, dataDir }),
    openStoredKeys: (log) => openStoredKeysOfLog(log, { url, dataDir }),
    openKeyStore,
    secretsKeys,
    givenSecretsKeys: () => givenSecretsKeys(readSecretsKeys),
    send: (decision) => withOpen(openLog(), (log) => carryOut(new CommandHandler(log), decision)),
    withErasures: (console, work) =>
      withOpen(openLog(), (log) =>
        withOpen(openKeyStore(log), (keys) =>
          work((command) => carryOutErasure({ log, keys, logger: warningsTo(console) }, command)),
        ),
      ),
    backup: () =>
      Promise.reject(
        new UsageError(
          'ops backup copies only a data directory. Back up EventStoreDB and MongoDB with their own tools.',
        ),
      ),
    restored: () =>
      Promise.reject(
        new UsageError(
          'ops restored is for a data directory that ops backup copied. On EventStoreDB and MongoDB, start the services of a copy with OUTGOING=off, and without it once they have taken the place of the original ones.',
        ),
      ),
    isServiceRunning: () => true,
    alone: () => Promise.reject(new Error('shared engines cannot be locked')),
  };
};
