/// <reference types="jest" />
import {
  eventually,
  type HookReceiver,
  type ServiceFactory,
  startHookReceiver,
  startTogether,
  TestAccount,
} from '@refledger/testing';
import { startHoldingReceiver, type HoldingReceiver } from './holding-receiver.js';

/** With these settings a request that hangs does so for longer than any test. */
export const requestsInFlightSettings = {
  RATE_LIMIT_PER_MINUTE: '0',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'loopback',
  WEBHOOK_TIMEOUT: '5m',
  WEBHOOK_MAX_IN_FLIGHT_PER_ENDPOINT: '3',
};

/** Tests how many requests an endpoint gets at a time, on a service with these settings. */
export const requestsInFlightSuite = (service: ServiceFactory): void => {
  describe('an endpoint', () => {
    let holding: HoldingReceiver;
    let healthy: HookReceiver;
    beforeAll(async () => {
      [holding, healthy] = await startTogether(
        startHoldingReceiver({ respondsFirst: true }),
        startHookReceiver(),
      );
    });
    afterAll(() => Promise.all([holding.close(), healthy.close()]));

    it('gets no more requests at once than WEBHOOK_MAX_IN_FLIGHT_PER_ENDPOINT', async () => {
      const account = await TestAccount.open(await service());
      await account.subscribe(holding.url('/holding'), ['affiliate.created']);
      await account.subscribe(healthy.url('/healthy'), ['affiliate.created']);
      await account.affiliate();
      await eventually(() => expect(holding.hasResponded('/holding')).toBe(true));
      for (let n = 0; n < 20; n++) await account.affiliate();
      await eventually(() => expect(holding.held('/holding')).toBe(3));
      await healthy.waitFor('/healthy', 21);
      expect(holding.held('/holding')).toBe(3);
    });
  });
};
