import { CommandHandler } from '@refledger/event-log';
import { carryOut, type DistributedEngines } from '@refledger/platform';
import { UsageError } from '../exit-codes.js';
import { withOpen } from '../with-open.js';
import type { OperatorEngines } from './engines.js';
import { openScratchStore } from './scratch-store.js';

/**
 * The engines that distributed services share. Any process that reaches them may append, so no
 * service needs to be asked or stopped.
 */
export const distributedEngines = ({
  eventLogUrl,
  readStoreUrl,
}: DistributedEngines): OperatorEngines => {
  const openLog = async () =>
    (await import('@refledger/event-log/eventstoredb')).openEventStoreDbEventLog({
      url: eventLogUrl,
    });
  return {
    openLog,
    openStore: async () =>
      (await import('@refledger/read-store/mongodb')).openMongodbReadStore({
        url: readStoreUrl,
        mode: 'read',
      }),
    openScratchStore,
    ask: (command) => withOpen(openLog(), (log) => carryOut(new CommandHandler(log), command)),
    backup: () =>
      Promise.reject(
        new UsageError(
          'ops backup copies a data folder; EventStoreDB and MongoDB are backed up by their own tools (docs/operations.md says in which order)',
        ),
      ),
    isServed: () => true,
    alone: () => Promise.reject(new Error('engines that are shared are never worked on alone')),
  };
};
