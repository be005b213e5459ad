/// <reference types="jest" />
import { consuming } from './consuming.js';
import { end } from './end.js';
import { order } from './order.js';
import { offsets } from './offsets.js';
import { records } from './records.js';
import { currentOf, type BusUnderTest, type EventBusFixture } from './under-test.js';

/** The tests that every adapter of the port must pass. */
export const eventBusConformance = (name: string, factory: () => Promise<EventBusFixture>): void =>
  describe(`${name}: event bus`, () => {
    // Filled before each test.
    const at = {} as BusUnderTest;
    beforeEach(async () => void Object.assign(at, currentOf(await factory())));
    afterEach(async () => {
      at.stop.abort();
      await at.fixture.bus.close();
      await at.fixture.destroy();
    });

    records(at);
    order(at);
    offsets(at);
    end(at);
    consuming(at);
  });
