/// <reference types="jest" />
import { claiming } from './claiming.js';
import { counting } from './counting.js';
import { destroying } from './destroying.js';
import { opening } from './opening.js';
import { putting } from './putting.js';
import { rewrapping } from './rewrapping.js';
import { scanning } from './scanning.js';
import type { KeyStoreFixture, KeyStoreUnderTest } from './under-test.js';

/** Tests that an adapter implements the port correctly. */
export const keyStoreConformance = (name: string, factory: () => Promise<KeyStoreFixture>): void =>
  describe(`${name}: key store`, () => {
    // filled before each test
    const at = {} as { -readonly [Key in keyof KeyStoreUnderTest]: KeyStoreUnderTest[Key] };
    beforeEach(async () => {
      at.fixture = await factory();
      at.store = await at.fixture.open(true);
      at.other = await at.fixture.open(false);
    });
    afterEach(async () => {
      await Promise.all([at.store.close(), at.other.close()]);
      await at.fixture.remove();
    });

    opening(at, factory);
    putting(at);
    destroying(at);
    rewrapping(at);
    scanning(at);
    claiming(at);
    counting(at);
  });
