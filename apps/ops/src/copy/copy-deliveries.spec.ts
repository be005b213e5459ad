import { newId, type Position } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import type { Delivery, DeliveryStore } from '@refledger/delivery-store';
import type { DeliveryIntake } from '@refledger/delivery-store/mongodb';
import { copyDeliveries } from './copy-deliveries.js';

const endpoint = newId('endpoint');
const statuses = { waiting: 0, held: 0, sending: 0, succeeded: 0, failed: 0, canceled: 0 };

it('copies the notes of what was removed, with the positions of the other log', async () => {
  const did: unknown[] = [];
  // test doubles: a store without deliveries or health, and an intake that only reports
  const source: Partial<DeliveryStore> = {
    id: 'one',
    counts: () => Promise.resolve(statuses),
    endpoints: () => Promise.resolve([]),
    list: () => Promise.resolve<readonly Delivery[]>([]),
    endpointsInSeries: () => Promise.resolve([]),
    offsets: () => Promise.resolve([]),
    floor: () => Promise.resolve('9' as Position),
    removed: () =>
      Promise.resolve({
        endedBefore: '2026-01-01T00:00:00.000Z',
        heldThrough: new Map([[endpoint, '7' as Position]]),
      }),
  };
  const intake: Partial<DeliveryIntake> = {
    noteRemoved: (...noted) => Promise.resolve(void did.push(noted)),
    complete: (store) => Promise.resolve(did.push(store)).then(() => store.id),
  };
  await copyDeliveries({
    source: source as DeliveryStore,
    intake: intake as DeliveryIntake,
    targetLogId: 'log two',
    translate: (position) =>
      Promise.resolve({ position: `${position}00` as Position } as LoggedEvent),
    progress: { update: () => undefined, end: () => undefined },
    signal: new AbortController().signal,
  });
  expect(did).toEqual([
    [endpoint, '700'],
    { id: 'one', offsets: [], floor: '900', endedBefore: '2026-01-01T00:00:00.000Z' },
  ]);
});
