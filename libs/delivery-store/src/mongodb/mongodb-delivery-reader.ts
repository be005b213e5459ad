import type { OpenDeliveryReader } from '../delivery-store.js';
import { auditing } from './auditing.js';
import { connect, type MongodbDeliveryStoreOptions } from './mongodb-delivery-store.js';
import { failing } from './health.js';
import { replayReader } from './replays.js';
import { reading } from './reading.js';
import { statisticsReader } from './statistics.js';
import { withStoreErrors } from './store-errors.js';

/** Opens an existing delivery store to read it. */
export const openMongodbDeliveryReader = (
  options: MongodbDeliveryStoreOptions,
): Promise<OpenDeliveryReader> =>
  connect(
    options,
    'refledger-delivery-reader',
    async ({ deliveries, state, series, removed, replays, points }) => ({
      id: await state.existingId(),
      ...withStoreErrors({
        floor: () => state.floor(),
        ...reading(deliveries),
        ...replayReader(replays),
        ...failing(series),
        ...auditing(deliveries, removed, state),
        ...statisticsReader(points, deliveries),
      }),
    }),
  );
