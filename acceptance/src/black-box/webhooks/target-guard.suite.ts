/// <reference types="jest" />
import {
  expectStatus,
  type ServiceFactory,
  subscriptionBody,
  TestAccount,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';

export const publicTargetsSettings = { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' };

const loopback = [
  'http://127.0.0.1:8080/',
  'http://127.8.9.1/',
  'http://localhost/',
  'http://LOCALHOST:3000/',
  'http://localhost./',
  'http://hooks.localhost/',
  'http://[::1]/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
];

/**
 * Tests that targets with private addresses are refused, on a service with `publicTargetsSettings`.
 */
export const targetGuardSuite = (service: ServiceFactory): void => {
  describe('webhook targets when only public ones are allowed', () => {
    let account: TestAccount;
    beforeAll(async () => void (account = await TestAccount.open(await service())));

    it.each(loopback)('%s is refused', async (target) => {
      expectProblem(
        await account.api.post(
          '/v1/webhooks/subscribe',
          subscriptionBody(target, ['conversion.created']),
        ),
        422,
        'target_not_allowed',
      );
    });

    it.each([
      'http://example.com/',
      'https://8.8.8.8/',
      'http://[2606:4700:4700::1111]/',
      'http://localhost.example.com/',
    ])('%s is allowed', async (target) => {
      expectStatus(
        201,
        await account.api.post(
          '/v1/webhooks/subscribe',
          subscriptionBody(target, ['payout.created']),
        ),
      );
    });
  });
};
