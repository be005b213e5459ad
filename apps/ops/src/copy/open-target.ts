import type { EventLog } from '@refledger/event-log';
import type { DeliveryStore } from '@refledger/webhooks';
import type { DeliveryIntake } from '@refledger/webhooks/mongodb';
import { withOpen } from '../with-open.js';

/** Where a copy goes: EventStoreDB and MongoDB, as the services name them. */
export interface TargetUrls {
  readonly eventLogUrl: string;
  readonly readStoreUrl: string;
}

/** Works with the target's log and what takes its deliveries; their drivers are loaded here only. */
export const withTarget = async <T>(
  { eventLogUrl, readStoreUrl }: TargetUrls,
  work: (target: EventLog, intake: DeliveryIntake) => Promise<T>,
): Promise<T> => {
  const { openMongodbDeliveryIntake } = await import('@refledger/webhooks/mongodb');
  const { openEventStoreDbEventLog } = await import('@refledger/event-log/eventstoredb');
  return withOpen(openMongodbDeliveryIntake({ url: readStoreUrl }), (intake) =>
    withOpen(openEventStoreDbEventLog({ url: eventLogUrl }), (target) => work(target, intake)),
  );
};

/** The delivery store that the copy has made. */
export const openTargetStore = async ({
  readStoreUrl: url,
}: Pick<TargetUrls, 'readStoreUrl'>): Promise<DeliveryStore> =>
  (await import('@refledger/webhooks/mongodb')).openMongodbDeliveryStore({ url });
