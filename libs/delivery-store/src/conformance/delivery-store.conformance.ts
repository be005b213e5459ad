/// <reference types="jest" />
import { DeliveryStoreError } from '../delivery-store.js';
import { attempts } from './attempts.js';
import { auditing } from './auditing.js';
import { clockRollback } from './clock-rollback.js';
import { health } from './health.js';
import { holding } from './holding.js';
import { lists } from './lists.js';
import { maintenance } from './maintenance.js';
import { many } from './many.js';
import { outcomes } from './outcomes.js';
import { planning } from './planning.js';
import { rates } from './rates.js';
import { reading } from './reading.js';
import { replaying } from './replaying.js';
import { requesting } from './requesting.js';
import { sharing } from './sharing.js';
import { statistics } from './statistics.js';
import { testing } from './testing.js';
import { claiming } from './claiming.js';
import {
  leaseOf,
  planned,
  planOf,
  type StoreUnderTest,
  type DeliveryStoreFixture,
} from './under-test.js';

/** Tests that an adapter implements the port correctly. */
export const deliveryStoreConformance = (
  name: string,
  factory: () => Promise<DeliveryStoreFixture>,
): void =>
  describe(`${name}: delivery store`, () => {
    // filled before each test
    const at = { statusOf: async (id) => (await at.store.get(id))?.status } as {
      -readonly [Key in keyof StoreUnderTest]: StoreUnderTest[Key];
    };
    beforeEach(async () => {
      at.fixture = await factory();
      at.store = await at.fixture.open();
    });
    afterEach(async () => {
      await at.store.close();
      await at.fixture.destroy();
    });

    it('that was closed is unavailable, for reads and writes', async () => {
      const closed = await at.fixture.open();
      await closed.close();
      for (const call of [
        closed.offsets(),
        closed.plan(planOf([planned('a', 1)]), leaseOf('one', 1)),
      ]) {
        const error: unknown = await call.catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(DeliveryStoreError);
        expect(error).toMatchObject({ kind: 'unavailable' });
      }
    });

    planning(at);
    claiming(at);
    outcomes(at);
    attempts(at);
    holding(at);
    requesting(at);
    replaying(at);
    testing(at);
    health(at);
    auditing(at);
    statistics(at);
    rates(at);
    clockRollback(at);
    sharing(at);
    maintenance(at);
    lists(at);
    many(at);
    reading(at, factory);
  });
