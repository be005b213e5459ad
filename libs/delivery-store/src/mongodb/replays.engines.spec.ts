import { randomUUID } from 'node:crypto';
import { Collection } from 'mongodb';
import type { Position } from '@refledger/contracts';
import { databaseUrl, describeOnServer } from '@refledger/testing/servers';
import { replayed, requested } from '../conformance/replaying.js';
import { endpointOf, leaseOf, succeeded, t } from '../conformance/under-test.js';
import type { DeliveryStore } from '../delivery-store.js';
import { openMongodbDeliveryStore } from './mongodb-delivery-store.js';

describeOnServer('MongoDB', 'the counts of a replay on MongoDB', (server) => {
  let store: DeliveryStore;
  beforeEach(async () => {
    store = await openMongodbDeliveryStore({
      url: databaseUrl(server().url, `replays-${randomUUID()}`),
    });
  });
  afterEach(() => store.close());

  it('count each delivery once, even those that end meanwhile', async () => {
    const { id } = (await store.beginReplay(requested('first'))).replay;
    const deliveries = [3, 4].map((n) => replayed('first', n));
    const at = '0' as Position;
    const whole = { replay: { id, at }, deliveries, reached: '90' as Position, isLast: true };
    await store.planReplay(whole, t(5));
    await store.claim(endpointOf('a'), 2, leaseOf('one', 6), 'replay');
    const end = () =>
      store.recordOutcomes(
        deliveries.map((delivery) => succeeded(delivery, 7)),
        'one',
      );

    const counting = jest.spyOn(Collection.prototype, 'countDocuments');
    // both end right after the first count, that of deliveries that have not ended
    counting.mockImplementationOnce(async function (this: Collection, ...query) {
      const open = await this.countDocuments(...query);
      await end();
      return open;
    });
    await store.countReplays(t(100), 10);
    counting.mockRestore();
    expect(await store.replay(id)).toMatchObject({ planned: 2, succeeded: 2 });
    await store.countReplays(t(101), 10);
    expect(await store.replay(id)).toMatchObject({ planned: 2, succeeded: 2, isSettled: true });
  });
});
