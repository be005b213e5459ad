import type { EventLog } from '@refledger/event-log';
import type { DeliveryStore } from '@refledger/webhooks';
import type { DeliveryIntake } from '@refledger/webhooks/mongodb';
import { withOpen } from '../with-open.js';

/** The target of a copy: EventStoreDB and MongoDB, by the URLs that the services use. */
export interface TargetUrls {
  readonly eventLogUrl: string;
  readonly readStoreUrl: string;
}

/**
 * Runs work with the target's log and the intake of its deliveries. Their drivers are loaded only
 * here.
 */
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

/** Opens the delivery store that the copy created. */
export const openTargetStore = async ({
  readStoreUrl: url,
}: Pick<TargetUrls, 'readStoreUrl'>): Promise<DeliveryStore> =>
  (await import('@refledger/webhooks/mongodb')).openMongodbDeliveryStore({ url });
