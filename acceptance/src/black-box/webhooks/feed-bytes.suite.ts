/// <reference types="jest" />
import {
  type Envelope,
  expectStatus,
  type MovableClock,
  type Page,
  type ServiceFactory,
} from '@refledger/testing';
import { HookedAccount } from './hooked-account.js';
import { writeEachType } from './write-each-type.js';

/** Tests that webhooks and the list of events have the same bodies. */
export const feedBytesSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('the events of an account and its webhooks', () => {
    let hooked: HookedAccount;
    beforeAll(async () => void (hooked = await HookedAccount.open(service, clock)));
    afterAll(() => hooked.close());

    const list = (query: Readonly<Record<string, string>>) =>
      hooked.api.get<Page<Envelope>>('/v1/events', { query: { limit: '100', ...query } });

    it('have the same bytes', async () => {
      const { receiver, api, account } = hooked;
      // no endpoint gets the events that are about itself
      const [first, second] = [await hooked.subscribe(['*']), await hooked.subscribe(['*'])];
      const before = expectStatus(200, await list({ sort: '-position' })).data[0];
      if (before === undefined) throw new Error('the account has no event');
      await writeEachType(account);
      for (const { id } of [first, second])
        expectStatus(200, await api.post(`/v1/webhooks/${id}/rotate-secret`, {}));

      const response = await list({ after: before.position });
      const events = expectStatus(200, response).data;
      expect(events.filter(({ type }) => type.startsWith('webhook.'))).toHaveLength(2);
      // one of both endpoints misses one event each
      const bytes = async (at: string): Promise<readonly (readonly [string, string])[]> =>
        (await receiver.waitFor(at, events.length - 1)).map(
          ({ envelope, bytes: body }) => [envelope.id, body.toString()] as const,
        );
      const received = new Map([...(await bytes(first.at)), ...(await bytes(second.at))]);
      for (const { id, position } of events) {
        const one = await api.get(`/v1/events/${position}`);
        expect(one.text).toBe(received.get(id));
        expect(response.text).toContain(one.text);
      }
    });

    it('have nulls for an erased affiliate', async () => {
      const { api, account } = hooked;
      const { id, name } = await account.affiliate({ metadata: { a: '1' } });
      expectStatus(200, await api.post(`/v1/affiliates/${id}/erase`, undefined));
      const response = await list({ affiliate_id: id });
      const nulls = { email: null, name: null, external_id: null, metadata: {} };
      expect(expectStatus(200, response).data).toMatchObject(
        ['affiliate.created', 'affiliate.deleted', 'affiliate.erased'].map((type) => ({
          type,
          data: { id, ...nulls },
        })),
      );
      expect(response.text).not.toContain(name);
    });
  });
};
