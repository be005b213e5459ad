/// <reference types="jest" />
import {
  eventually,
  type HookReceiver,
  type Service,
  type ServiceFactory,
  startHookReceiver,
  startTogether,
  TestAccount,
} from '@refledger/testing';
import { startHoldingReceiver, type HoldingReceiver } from './holding-receiver.js';

/**
 * With these settings a request that hangs does so for longer than any test, so work that waits for
 * its end is never done.
 */
export const heldSlotsSettings = {
  RATE_LIMIT_PER_MINUTE: '0',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'loopback',
  WEBHOOK_TIMEOUT: '5m',
  WEBHOOK_RETRY_SCHEDULE: '1h',
};

/**
 * The webhook-dispatcher's limits: requests in flight in total, and at first to one endpoint that
 * responds.
 */
const [slots, perEndpoint] = [512, 8];

/**
 * Tests that a healthy endpoint is served beside endpoints that hang. Nothing depends on the clock:
 * all requests to the others hang throughout, so the healthy endpoint is served beside them or not
 * at all.
 */
export const heldSlotsSuite = (service: ServiceFactory): void => {
  describe('a healthy endpoint beside others that occupy every slot', () => {
    let running: Service;
    let mute: HoldingReceiver;
    let healthy: HookReceiver;
    const turning: HoldingReceiver[] = [];
    beforeAll(async () => {
      running = await service();
      [mute, healthy] = await startTogether(startHoldingReceiver(), startHookReceiver());
    });
    // requests that hang end when the receivers close, so the service need not wait for them
    afterAll(() => Promise.all([mute, healthy, ...turning].map((receiver) => receiver.close())));

    /** Opens an account with these endpoints. */
    const subscribed = async (...urls: readonly string[]): Promise<TestAccount> => {
      const account = await TestAccount.open(running);
      for (const url of urls) await account.subscribe(url, ['affiliate.created']);
      return account;
    };
    const paths = (count: number): string[] => Array.from({ length: count }, (_, n) => `/${n}`);
    const events = (account: TestAccount, count: number) =>
      Promise.all(Array.from({ length: count }, () => account.affiliate()));
    const held = (): number =>
      [mute, ...turning].reduce((sum, receiver) => sum + receiver.held(), 0);

    /**
     * Adds endpoints that respond once, as quick ones do, and then hang: they take the free quick
     * slots and turn slow while they hold them.
     */
    const wave = async (): Promise<void> => {
      const receiver = await startHoldingReceiver({ respondsFirst: true });
      turning.push(receiver);
      const all = paths(slots / perEndpoint / 2);
      const theirs = await subscribed(...all.map((path) => receiver.url(path)));
      const before = held();
      await events(theirs, 1);
      await eventually(() =>
        expect(all.filter((path) => !receiver.hasResponded(path))).toEqual([]),
      );
      await events(theirs, 2 * perEndpoint);
      await eventually(() =>
        expect(held()).toBeGreaterThanOrEqual(Math.min(slots, before + all.length)),
      );
    };

    it('gets each event while every request to the others hangs, and none of them exceeds its share', async () => {
      const account = await subscribed(
        healthy.url('/healthy'),
        ...paths(20).map((path) => mute.url(path)),
      );
      await events(account, 5);
      while (held() < slots && turning.length < 10) await wave();
      expect(held()).toBeGreaterThanOrEqual(slots);

      for (let n = 1; n <= 20; n++) {
        await account.affiliate();
        await healthy.waitFor('/healthy', 5 + n);
      }
      expect([mute, ...turning].map((receiver) => receiver.givenUp())).toEqual([
        0,
        ...turning.map(() => 0),
      ]);
      expect(paths(20).map((path) => mute.held(path))).toEqual(paths(20).map(() => 1));
      expect(
        Math.max(
          ...turning.flatMap((receiver) =>
            paths(slots / perEndpoint / 2).map((path) => receiver.held(path)),
          ),
        ),
      ).toBe(perEndpoint);
      expect(held()).toBeLessThanOrEqual(2 * slots);
    });
  });
};
