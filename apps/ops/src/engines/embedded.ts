import { existsSync } from 'node:fs';
import {
  openExistingKeysOfLog,
  openKeyReaderOfLog,
  openStoredKeysOfLog,
} from '@refledger/application';
import { DomainError } from '@refledger/contracts';
import { dataDirectory, type DataDirectory, type Engines } from '@refledger/engines';
import { messageOf, openEventLog } from '@refledger/event-log';
import {
  carryOutErasure,
  operatorSocketPath,
  refuseMoved,
  sendToService,
  type OperatorCommand,
} from '@refledger/operator';
import { openReadStore } from '@refledger/read-store';
import { isDirectoryLocked } from '@refledger/sqlite';
import {
  openDeliveryReader,
  openDeliveryStore,
  type DeliveryStore,
} from '@refledger/delivery-store';
import { warningsTo } from '../console.js';
import { Unreachable } from '../exit-codes.js';
import { withOpen } from '../with-open.js';
import { backUpDirectory } from './back-up-directory.js';
import type { OperatorEngines } from './engines.js';
import { openTerms } from './open-terms.js';
import { restoreDirectory } from './restore-directory.js';
import { givenSecretsKeys, secretsKeysOf, type ReadSecretsKeys } from './secrets-keys.js';
import { requireLog, withDirectory } from './take-directory.js';

/** The engines in a data directory. */
export const embeddedEngines = (
  engines: Engines,
  dataDir: string,
  readSecretsKeys: ReadSecretsKeys,
): OperatorEngines => {
  const { eventLogUrl, readStoreUrl, deliveryStoreUrl } = engines;
  const directory = dataDirectory(dataDir);
  const openers = openersOf(directory, engines);
  const secretsKeys = () => secretsKeysOf(directory, readSecretsKeys);
  const alone: OperatorEngines['alone'] = (work) =>
    withDirectory(directory, async () => {
      refuseMoved(directory);
      return withOpen(openEventLog(eventLogUrl, { dataDir, mode: 'write' }), (log) =>
        work({
          log,
          openStore: () => openReadStore(readStoreUrl, { dataDir, mode: 'write' }),
          openDeliveries: () => openDeliveriesOf(directory, deliveryStoreUrl),
        }),
      );
    });
  return {
    ...openers,
    alone,

    openTerms: () => openTerms({ url: engines.keyStoreUrl, dataDir, secretsKeys }),
    secretsKeys,
    givenSecretsKeys: () => givenSecretsKeys(readSecretsKeys),

    send: (decision) => sendTo(directory, decision),

    withErasures: async (console, work) =>
      isDirectoryLocked(directory.path)
        ? work((command) => sendToRunning(directory, command))
        : alone(({ log }) =>
            withOpen(openers.openKeyStore(log), (keys) =>
              work((command) =>
                carryOutErasure({ log, keys, logger: warningsTo(console) }, command),
              ),
            ),
          ),

    backup: async (target, signal) => {
      requireLog(directory);
      return backUpDirectory(directory, target, signal);
    },

    restored: () => restoreDirectory(directory, () => sendTo(directory, { type: 'restored' })),

    isServiceRunning: () => isDirectoryLocked(directory.path),
  };
};

type Openers =
  'openLog' | 'openStore' | 'openDeliveries' | 'openKeys' | 'openStoredKeys' | 'openKeyStore';

const openersOf = (
  directory: DataDirectory,
  { eventLogUrl, readStoreUrl, deliveryStoreUrl, keyStoreUrl: url }: Engines,
): Pick<OperatorEngines, Openers> => {
  const { path: dataDir } = directory;
  return {
    openLog: async () => {
      requireLog(directory);
      return openEventLog(eventLogUrl, { dataDir, mode: 'read' });
    },

    openStore: async () => {
      requireLog(directory);
      if (!existsSync(directory.readModels))
        throw new Unreachable(
          `there are no read models in ${directory.path}. Start the service, which builds them.`,
        );
      return openReadStore(readStoreUrl, { dataDir, mode: 'read' });
    },

    openDeliveries: async () => {
      requireLog(directory);
      return openDeliveryReader(deliveryStoreUrl, { dataDir });
    },

    openKeys: (log) => openKeyReaderOfLog(log, { url, dataDir }),

    openStoredKeys: (log) => openStoredKeysOfLog(log, { url, dataDir }),

    openKeyStore: async (log) => {
      refuseMoved(directory);
      return openExistingKeysOfLog(log, { url, dataDir });
    },
  };
};

const openDeliveriesOf = async (
  { path, deliveries }: DataDirectory,
  url: string,
): Promise<DeliveryStore | undefined> =>
  existsSync(deliveries) ? openDeliveryStore(url, { dataDir: path }) : undefined;

const sendToRunning = async (
  directory: DataDirectory,
  command: OperatorCommand,
): Promise<boolean> => {
  const isNew = await sendTo(directory, command);
  if (isNew !== undefined) return isNew;
  throw new Unreachable(
    `a process uses ${directory.path}, but accepts no commands. If the service is starting or stopping, or another ops command is running, try again.`,
  );
};

/** Resolves to whether the command was new; undefined when no service responds. */
const sendTo = async (
  directory: DataDirectory,
  command: OperatorCommand,
): Promise<boolean | undefined> => {
  requireLog(directory);
  const socket = operatorSocketPath(directory.path);
  try {
    return await sendToService(socket, command);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new Unreachable(`the service does not respond on ${socket}: ${messageOf(error)}`, {
      cause: error,
    });
  }
};
