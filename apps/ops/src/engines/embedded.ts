import { existsSync } from 'node:fs';
import { DomainError } from '@refledger/contracts';
import { dataFolder, type DataFolder, type Engines } from '@refledger/engines';
import { messageOf, openEventLog } from '@refledger/event-log';
import {
  operatorSocketPath,
  refuseMoved,
  sendToService,
  type OperatorCommand,
} from '@refledger/operator';
import { openReadStore } from '@refledger/read-store';
import { isFolderLocked } from '@refledger/sqlite';
import {
  openDeliveryReader,
  openDeliveryStore,
  type DeliveryStore,
} from '@refledger/delivery-store';
import { Unreachable } from '../exit-codes.js';
import { withOpen } from '../with-open.js';
import { backUpFolder } from './back-up-folder.js';
import type { OperatorEngines } from './engines.js';
import { restoreFolder } from './restore-folder.js';
import { requireLog, withFolder } from './take-folder.js';

/** The engines in a data directory. */
export const embeddedEngines = (
  { eventLogUrl, readStoreUrl, deliveryStoreUrl }: Engines,
  dataDir: string,
): OperatorEngines => {
  const folder = dataFolder(dataDir);
  return {
    openLog: async () => {
      requireLog(folder);
      return openEventLog(eventLogUrl, { dataDir, mode: 'read' });
    },

    openStore: async () => {
      requireLog(folder);
      if (!existsSync(folder.readModels))
        throw new Unreachable(
          `there are no read models in ${folder.path}. Start the service, which builds them.`,
        );
      return openReadStore(readStoreUrl, { dataDir, mode: 'read' });
    },

    openDeliveries: async () => {
      requireLog(folder);
      return openDeliveryReader(deliveryStoreUrl, { dataDir });
    },

    send: (decision) => sendTo(folder, decision),

    backup: async (target, signal) => {
      requireLog(folder);
      return backUpFolder(folder, target, signal);
    },

    restored: () => restoreFolder(folder, () => sendTo(folder, { type: 'restored' })),

    isServiceRunning: () => isFolderLocked(folder.path),

    alone: (work) =>
      withFolder(folder, async () => {
        refuseMoved(folder);
        return withOpen(openEventLog(eventLogUrl, { dataDir, mode: 'write' }), (log) =>
          work({
            log,
            openStore: () => openReadStore(readStoreUrl, { dataDir, mode: 'write' }),
            openDeliveries: () => openDeliveriesOf(folder, deliveryStoreUrl),
          }),
        );
      }),
  };
};

const openDeliveriesOf = async (
  { path, deliveries }: DataFolder,
  url: string,
): Promise<DeliveryStore | undefined> =>
  existsSync(deliveries) ? openDeliveryStore(url, { dataDir: path }) : undefined;

/** Resolves to whether the command was new; undefined when no service responds. */
const sendTo = async (
  folder: DataFolder,
  command: OperatorCommand,
): Promise<boolean | undefined> => {
  requireLog(folder);
  const socket = operatorSocketPath(folder.path);
  try {
    return await sendToService(socket, command);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new Unreachable(`the service does not respond on ${socket}: ${messageOf(error)}`, {
      cause: error,
    });
  }
};
