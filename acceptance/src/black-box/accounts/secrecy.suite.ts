/// <reference types="jest" />
import { randomUUID } from 'node:crypto';
import {
  eventually,
  type ServiceFactory,
  startHookReceiver,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { itReads } from '../it-reads.js';

/** Tests that the service never prints secrets. */
export const secrecySuite = (service: ServiceFactory): void => {
  describe('the log output', () => {
    itReads(service)('names the request, its key and account, and never a secret', async () => {
      const running = await service();
      const receiver = await startHookReceiver();
      try {
        const account = await TestAccount.open(running);
        const reader = await account.withScope('read');
        const own = uniqueText('a-secret-of-my-own');
        receiver.script('/secret', (_hook, attempt) => ({ status: attempt === 1 ? 500 : 200 }));
        const endpoint = await account.subscribe(receiver.url('/secret'), ['affiliate.created'], {
          secret: own,
        });
        const made = await account.subscribe(receiver.url('/made'), ['affiliate.created']);
        await account.affiliate();
        await receiver.waitFor('/secret', 1);
        await receiver.waitFor('/made', 1);
        const id = randomUUID();
        await reader.get('/v1/account', { headers: { 'x-request-id': id } });
        await account.api.withKey(`${account.api.key}x`).get('/v1/account');
        await account.api.get('/v1/account', { query: { token: own } });

        const line = await eventually(() => {
          const found = running
            .logs()
            .split('\n')
            .find((entry) => entry.includes(id));
          expect(found).toBeDefined();
          return found ?? '';
        });
        expect(line).toContain(account.id);
        expect(line).toMatch(/key_[0-9a-hjkmnp-tv-z]{26}/);
        for (const secret of [
          running.adminKey,
          account.api.key,
          reader.key,
          endpoint.secret,
          made.secret,
        ])
          expect(running.logs().includes(secret ?? '?')).toBe(false);
      } finally {
        await receiver.close();
      }
    });
  });
};
