import type { ProcessorStop } from '@refledger/contracts';
import { offsetFault } from '@refledger/event-bus/log';
import { readDecisions, type EventLog } from '@refledger/event-log';
import { dispatcherName } from '../dispatcher-name.js';
import type { DeliveryStore } from '@refledger/delivery-store';
import { stopAtPartition, stopAtStore } from './dispatcher-stop.js';

/**
 * Finds the stop at which a dispatcher would wait for a decision if it were started now, with the
 * log as its bus. Undefined if it would continue by itself. `store` is undefined if there is none.
 */
export const findStop = async (
  log: EventLog,
  store: Pick<DeliveryStore, 'id' | 'offsets'> | undefined,
): Promise<ProcessorStop | undefined> => {
  const { state } = await readDecisions(log, dispatcherName);
  const found = { id: store?.id, offsets: (await store?.offsets()) ?? [] };
  if (state.store_id === undefined) return undefined;
  if (state.store_id !== found.id) return stopAtStore(state, found);
  for (const offset of found.offsets)
    if ((await offsetFault(log, offset)) !== undefined)
      return stopAtPartition(state, found, offset.partition);
  return undefined;
};
