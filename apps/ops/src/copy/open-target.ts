import type { DataDirectory, Engines } from '@refledger/engines';
import { openEventLog, type EventLog } from '@refledger/event-log';
import type { DeliveryIntake } from '@refledger/delivery-store/mongodb';
import { withOpen } from '../with-open.js';

/**
 * The directory of a copy, and the URLs of its EventStoreDB and MongoDB as the services use them.
 */
export interface Target extends Pick<
  Engines,
  'eventLogUrl' | 'readStoreUrl' | 'deliveryStoreUrl' | 'keyStoreUrl'
> {
  readonly directory: DataDirectory;
}

/**
 * Runs work with the target's log and the intake of its deliveries. Their drivers are loaded only
 * here.
 */
export const withTarget = async <T>(
  { eventLogUrl, deliveryStoreUrl, directory }: Target,
  work: (target: EventLog, intake: DeliveryIntake) => Promise<T>,
): Promise<T> => {
  const { openMongodbDeliveryIntake } = await import('@refledger/delivery-store/mongodb');
  return withOpen(openMongodbDeliveryIntake({ url: deliveryStoreUrl }), (intake) =>
    withOpen(openEventLog(eventLogUrl, { dataDir: directory.path, mode: 'write' }), (target) =>
      work(target, intake),
    ),
  );
};
