import type { MessagePort } from 'node:worker_threads';
import type { EventBus } from '@refledger/event-bus';
import { openLogBus } from '@refledger/event-bus/log';
import type { EventLog } from '@refledger/event-log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import type { DataFolder } from '@refledger/platform';
import type { ReadStore } from '@refledger/read-store';
import { openSqliteReadStore } from '@refledger/read-store/sqlite';
import type { DeliveryStore } from '@refledger/webhooks';
import { openSqliteDeliveryStore } from '@refledger/webhooks/sqlite';

export interface ProcessorsConnections {
  readonly log: EventLog;
  readonly bus: EventBus;
  readonly readStore: ReadStore;
  readonly deliveryStore: DeliveryStore;
  close(): Promise<void>;
}

/**
 * Opens the engines for the processors' thread. It has its own connections, and appends through the
 * writer's thread.
 */
export const openProcessorsConnections = async (
  folder: DataFolder,
  writer: MessagePort,
): Promise<ProcessorsConnections> => {
  const log = await openSqliteEventLog({ file: folder.events, mode: 'write', writer });
  const readStore = await openSqliteReadStore({ file: folder.readModels, mode: 'write' });
  const deliveryStore = await openSqliteDeliveryStore({
    file: folder.deliveries,
    onCrash: (error) => {
      throw error;
    },
  });
  // Keep few streams: reading one again takes microseconds here, but each cached stream outlives
  // the young generation. 20,000 of them took half of this thread's heap.
  const bus = openLogBus({ log, cacheSize: 1_000 });
  return {
    log,
    bus,
    readStore,
    deliveryStore,
    close: async () => {
      await bus.close();
      await deliveryStore.close();
      await readStore.close();
      await log.close();
    },
  };
};
