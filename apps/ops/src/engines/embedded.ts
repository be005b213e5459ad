import { existsSync } from 'node:fs';
import { DomainError } from '@refledger/contracts';
import { messageOf } from '@refledger/event-log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { askService, dataFolder, operatorSocketPath, refuseMoved } from '@refledger/platform';
import { openSqliteReadStore } from '@refledger/read-store/sqlite';
import { isFolderLocked } from '@refledger/sqlite';
import { Unreachable } from '../exit-codes.js';
import { withOpen } from '../with-open.js';
import { backUpFolder } from './back-up-folder.js';
import type { OperatorEngines } from './engines.js';
import { openScratchStore } from './scratch-store.js';
import { requireLog, takeFolder } from './take-folder.js';

/** The engines in a data folder. */
export const embeddedEngines = (dataDir: string): OperatorEngines => {
  const folder = dataFolder(dataDir);
  const socket = operatorSocketPath(folder.path);
  return {
    openLog: async () => {
      requireLog(folder);
      return openSqliteEventLog({ file: folder.events, mode: 'read' });
    },

    openStore: async () => {
      requireLog(folder);
      if (!existsSync(folder.readModels))
        throw new Unreachable(
          `there are no read models in ${folder.path}: the service makes them when it starts`,
        );
      return openSqliteReadStore({ file: folder.readModels, mode: 'read' });
    },

    openScratchStore,

    ask: async (command) => {
      requireLog(folder);
      try {
        return await askService(socket, command);
      } catch (error) {
        if (error instanceof DomainError) throw error;
        throw new Unreachable(`the service can't be asked over ${socket}: ${messageOf(error)}`, {
          cause: error,
        });
      }
    },

    backup: async (target) => {
      requireLog(folder);
      return backUpFolder(folder, target);
    },

    isServed: () => isFolderLocked(folder.path),

    alone: async (work) => {
      requireLog(folder);
      const lock = takeFolder(folder);
      try {
        refuseMoved(folder);
        return await withOpen(openSqliteEventLog({ file: folder.events, mode: 'write' }), (log) =>
          work({
            log,
            openStore: () => openSqliteReadStore({ file: folder.readModels, mode: 'write' }),
          }),
        );
      } finally {
        lock.release();
      }
    },
  };
};
