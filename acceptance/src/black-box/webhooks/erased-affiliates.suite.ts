/// <reference types="jest" />
import {
  type Affiliate,
  type Delivery,
  type Erasure,
  expectStatus,
  type Hook,
  type MovableClock,
  type Replay,
  type ServiceFactory,
  signatureFaults,
  uniqueText,
} from '@refledger/testing';
import { HookedAccount } from './hooked-account.js';

/** Tests what receivers get of an erased affiliate, on a service with `retrySettings`. */
export const erasedAffiliatesSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('the webhooks of an erased affiliate', () => {
    let hooked: HookedAccount;
    beforeAll(async () => void (hooked = await HookedAccount.open(service, clock)));
    afterAll(() => hooked.close());

    const nulls = { email: null, name: null, external_id: null, metadata: {}, reason: null };

    it('tell of the erasure, and have nulls when they are sent again', async () => {
      const { receiver, api, account } = hooked;
      const kinds = ['affiliate.created', 'affiliate.deleted', 'affiliate.erased'];
      const { id: endpoint, secret, at } = await hooked.subscribe(kinds);
      const name = uniqueText('Ada');
      // a receiver may echo anything
      receiver.script(at, () => ({ status: 200, body: `hello ${name}` }));
      const affiliate = await account.affiliate({ name, external_id: uniqueText('crm') });
      const [created] = await hooked.waitForDeliveries(endpoint, 'succeeded', 1);
      if (created === undefined) throw new Error('there is no delivery');
      expect((await hooked.delivery(created)).attempts[0]?.response_body).toBe(`hello ${name}`);

      const erased = await api.post<Erasure>(`/v1/affiliates/${affiliate.id}/erase`, undefined);
      expectStatus(200, erased);
      await hooked.waitForDeliveries(endpoint, 'succeeded', 3);
      const hooks = await receiver.waitFor(at, 3);
      const told = hooks.find(({ envelope }) => envelope.type === 'affiliate.erased');
      expect(told?.envelope.data).toMatchObject({ ...nulls, id: affiliate.id, status: 'pending' });

      const path = `/v1/webhooks/${endpoint}/deliveries/${created.id}`;
      const again = await api.post<Delivery>(`${path}/redeliver`, undefined);
      expect([200, 202]).toContain(again.status);
      const resent = (await receiver.waitFor(at, 4)).at(-1);
      if (resent === undefined) throw new Error('nothing was sent again');
      expect(resent.envelope).toMatchObject({
        id: created.event_id,
        type: 'affiliate.created',
        data: { ...nulls, id: affiliate.id },
      });
      expect(signatureFaults(resent, secret)).toEqual([]);

      const shown = await hooked.delivery(created);
      expect(JSON.parse(shown.body ?? '')).toMatchObject({ data: nulls });
      expect(shown.attempts[0]).toMatchObject({ response_headers: null, response_body: null });
      expect(JSON.stringify(shown)).not.toContain(name);
    });

    it('have nulls when its old events are replayed, and others have what they had', async () => {
      const { receiver, api, account } = hooked;
      const { id, secret, at } = await hooked.subscribe(['affiliate.created']);
      const erased = await account.affiliate({ metadata: { a: '1' } });
      const other = await account.affiliate({ metadata: { a: '2' } });
      await hooked.waitForDeliveries(id, 'succeeded', 2);
      expectStatus(200, await api.post(`/v1/affiliates/${erased.id}/erase`, undefined));

      const { length } = receiver.hooks(at);
      const body = { since: '0', only: 'all' };
      expectStatus(202, await api.post<Replay>(`/v1/webhooks/${id}/replays`, body));
      const isOf = ({ envelope: { data } }: Hook, of: Affiliate) => data.id === of.id;
      const replayed = await receiver.waitFor(at, (hooks) => {
        const later = hooks.slice(length);
        return [erased, other].every((one) => later.some((hook) => isOf(hook, one)));
      });
      const [ofErased, ofOther] = [erased, other].map((one) =>
        replayed.slice(length).find((hook) => isOf(hook, one)),
      );
      expect(ofErased?.envelope.data).toMatchObject({ ...nulls, id: erased.id });
      expect(ofOther?.envelope.data).toEqual(other);
      expect(ofErased && signatureFaults(ofErased, secret)).toEqual([]);
    });
  });
};
