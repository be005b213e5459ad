/// <reference types="jest" />
import {
  type Affiliate,
  conversionBody,
  type Delivery,
  type Endpoint,
  type Envelope,
  expectStatus,
  type Hook,
  type HookReceiver,
  type Service,
  type MovableClock,
  type ServiceFactory,
  signatureFaults,
  startHookReceiver,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { like } from '../expect-problem.js';
import { writeEachType } from './write-each-type.js';

/** Tests signed deliveries: which endpoint gets which events, and what a delivery looks like. */
export const webhookDeliveriesSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('a webhook', () => {
    let receiver: HookReceiver;
    let account: TestAccount;
    let affiliate: Affiliate;
    let running: Service;
    beforeAll(async () => {
      receiver = await startHookReceiver({ now: clock.now });
      running = await service();
      ({ account, affiliate } = await TestAccount.withAffiliate(running));
    });
    afterAll(() => receiver.close());

    const path = (): string => `/${uniqueText('hook')}`;
    const envelopes = (hooks: readonly Hook[]): Envelope[] => hooks.map(({ envelope }) => envelope);
    /** The kinds of all events that an endpoint gets, once everything so far is planned. */
    const kindsFor = async ({ id }: Endpoint, by = account): Promise<string[]> => {
      await running.caughtUp();
      const deliveries = await by.all<Delivery>('/v1/deliveries', { endpoint_id: id });
      return deliveries.map(({ type }) => type).toSorted();
    };
    const oneOf = async (at: string): Promise<Hook> => {
      const [hook] = await receiver.waitFor(at, 1);
      if (hook === undefined) throw new Error('no hook');
      return hook;
    };

    it.each([
      ['a generated one', undefined],
      ["one of the client's own", 'my own secret, 24 chars'],
    ])("is signed twice with the endpoint's secret: %s", async (_name, secret) => {
      const at = path();
      const endpoint = await account.subscribe(receiver.url(at), ['conversion.created'], {
        secret,
      });
      await account.conversion(affiliate.id, { metadata: { name: 'Zo\u00eb \u{1F388}' } });
      expect(signatureFaults(await oneOf(at), endpoint.secret)).toEqual([]);
    });

    it('carries the event with the record as the API showed it, for every kind', async () => {
      const at = path();
      const endpoint = await account.subscribe(receiver.url(at), [
        'affiliate.created',
        'affiliate.updated',
        'affiliate.approved',
        'affiliate.suspended',
        'affiliate.rejected',
        'affiliate.deleted',
        'conversion.created',
        'conversion.updated',
        'conversion.approved',
        'conversion.rejected',
        'conversion.refunded',
        'program.created',
        'program.updated',
        'adjustment.created',
        'adjustment.updated',
        'adjustment.voided',
      ]);
      const { expected, deleted: bob } = await writeEachType(account);
      const hooks = await receiver.waitFor(at, expected.length + 1);
      const inOrder = [...hooks].toSorted((a, b) =>
        BigInt(a.envelope.position) < BigInt(b.envelope.position) ? -1 : 1,
      );
      expect(envelopes(inOrder.slice(0, -1))).toEqual(
        expected.map((event) => ({
          ...event,
          id: like.id('evt'),
          timestamp: like.instant(),
          account_id: account.id,
        })),
      );
      expect(envelopes(inOrder).at(-1)).toMatchObject({
        type: 'affiliate.deleted',
        data: { id: bob.id, object: 'affiliate', email: bob.email },
      });
      expect(hooks.flatMap((hook) => signatureFaults(hook, endpoint.secret))).toEqual([]);
      for (const field of ['webhook-id', 'x-service-delivery'])
        expect(new Set(hooks.map(({ headers }) => headers[field])).size).toBe(hooks.length);
    });

    it('carries the record as of its position, as the API shows it later', async () => {
      const at = path();
      await account.subscribe(receiver.url(at), ['affiliate.created', 'affiliate.approved']);
      await account.subscribe(receiver.url(`${at}/2`), [
        'conversion.created',
        'conversion.updated',
      ]);
      const ada = await account.update(await account.affiliate(), { status: 'approved' });
      const sale = await account.update(await account.conversion(ada.id), { sale_amount: 7 });
      await account.update(ada, { name: 'New' });
      await account.update(sale, { status: 'approved' });
      const sent = envelopes([
        ...(await receiver.waitFor(at, 2)),
        ...(await receiver.waitFor(`${at}/2`, 2)),
      ]);
      for (const { id, type, position, timestamp, data } of sent) {
        const of = `/v1/${data.object}s/${data.id}`;
        const then = await account.api.get(of, { query: { as_of: position } });
        expect(expectStatus(200, then)).toEqual(data);
        const changes = await account.all(`${of}/history`, { include: 'record' });
        expect(changes).toContainEqual(
          expect.objectContaining({ id, type, position, at: timestamp, record: data }),
        );
      }
    });

    it('announces a program that its first affiliate creates, once', async () => {
      const at = path();
      await account.subscribe(receiver.url(at), ['program.created', 'affiliate.created']);
      const program_id = uniqueText('prog_new');
      const [ada, bob] = [
        await account.affiliate({ program_id }),
        await account.affiliate({ program_id }),
      ];
      const hooks = await receiver.waitFor(at, 3);
      const created = envelopes(hooks).filter(({ type }) => type === 'program.created');
      expect(created).toEqual([
        {
          id: like.id('evt'),
          type: 'program.created',
          timestamp: like.instant(),
          account_id: account.id,
          position: like.text(/^\d+$/),
          data: {
            id: program_id,
            object: 'program',
            name: program_id,
            status: 'active',
            terms: null,
            terms_version: 0,
            affiliate_approval: 'manual',
            conversion_approval: 'manual',
            minimum_payout: {},
            metadata: {},
            created_at: created[0]?.timestamp,
            updated_at: created[0]?.timestamp,
            revision: 0,
          },
        },
      ]);
      expect(
        envelopes(hooks)
          .map(({ data }) => data.id)
          .toSorted(),
      ).toEqual([program_id, ada.id, bob.id].toSorted());
    });

    it('gets only the kinds that it subscribed to, and only from its own account', async () => {
      const [narrow, wide, foreign] = [path(), path(), path()];
      const stranger = await TestAccount.open(await service());
      const strange = await stranger.subscribe(receiver.url(foreign), [
        'conversion.created',
        'conversion.approved',
        'affiliate.created',
      ]);
      const one = await account.subscribe(receiver.url(narrow), ['conversion.approved']);
      await account.subscribe(receiver.url(wide), [
        'conversion.created',
        'conversion.approved',
        'affiliate.created',
      ]);
      const sale = await account.conversion(affiliate.id);
      await account.update(sale, { status: 'approved' });
      const own = await stranger.affiliate();
      expect(
        envelopes(await receiver.waitFor(wide, 2))
          .map(({ type }) => type)
          .toSorted(),
      ).toEqual(['conversion.approved', 'conversion.created']);
      expect(
        envelopes(await receiver.waitFor(foreign, 1)).map(({ account_id, data }) => [
          account_id,
          data.id,
        ]),
      ).toEqual([[stranger.id, own.id]]);
      expect(
        envelopes(await receiver.waitFor(narrow, 1)).map(({ type, data }) => [type, data.id]),
      ).toEqual([['conversion.approved', sale.id]]);
      await account.conversion(affiliate.id);
      await receiver.waitFor(wide, 3);
      expect(await kindsFor(one)).toEqual(['conversion.approved']);
      expect(await kindsFor(strange, stranger)).toEqual(['affiliate.created']);
    });

    it('gets the kinds that its patterns match', async () => {
      const [all, sales] = [path(), path()];
      const stranger = await TestAccount.open(running);
      const whole = await stranger.subscribe(receiver.url(all), ['*']);
      const some = await stranger.subscribe(receiver.url(sales), ['payout.*', 'conversion.*']);
      const { id } = await stranger.affiliate();
      await stranger.update(await stranger.conversion(id), { status: 'rejected', reason: 'fraud' });
      expectStatus(200, await stranger.api.patch(`/v1/webhooks/${some.id}`, { status: 'paused' }));
      await receiver.waitFor(all, 5);
      const ofSales = ['conversion.created', 'conversion.rejected'];
      const others = ['program.created', 'webhook.paused'];
      expect(await kindsFor(whole, stranger)).toEqual(['affiliate.created', ...ofSales, ...others]);
      expect(await kindsFor(some, stranger)).toEqual(ofSales);
    });

    it('gets every event after the subscription, and none from before', async () => {
      for (let round = 0; round < 10; round++) {
        const at = path();
        await account.conversion(affiliate.id);
        await account.subscribe(receiver.url(at), ['conversion.created']);
        const [first, second] = [
          await account.conversion(affiliate.id),
          await account.conversion(affiliate.id),
        ];
        expect(
          envelopes(await receiver.waitFor(at, 2))
            .map(({ data }) => data.id)
            .toSorted(),
        ).toEqual([first.id, second.id].toSorted());
        expectStatus(
          204,
          await account.api.delete('/v1/webhooks/subscribe', {
            query: { target_url: receiver.url(at) },
          }),
        );
      }
    });

    it('gets nothing after an unsubscribe', async () => {
      const [gone, sentinel] = [path(), path()];
      const endpoint = await account.subscribe(receiver.url(gone), ['conversion.created']);
      await account.subscribe(receiver.url(sentinel), ['conversion.created']);
      await account.conversion(affiliate.id);
      await Promise.all([receiver.waitFor(gone, 1), receiver.waitFor(sentinel, 1)]);
      expectStatus(
        204,
        await account.api.delete('/v1/webhooks/subscribe', {
          query: { target_url: receiver.url(gone) },
        }),
      );
      for (let n = 0; n < 5; n++) await account.conversion(affiliate.id);
      await receiver.waitFor(sentinel, 6);
      expect(await kindsFor(endpoint)).toEqual(['conversion.created']);
      expect(receiver.hooks(gone)).toHaveLength(1);
    });

    it('follows changes to its kinds and its secret', async () => {
      const at = path();
      const made = await account.subscribe(receiver.url(at), ['conversion.created']);
      const changed = {
        target_url: made.target_url,
        events: ['conversion.approved'],
        secret: 'another secret, of my own',
      };
      expectStatus(200, await account.api.post<Endpoint>('/v1/webhooks/subscribe', changed));
      const sale = await account.conversion(affiliate.id);
      await account.update(sale, { status: 'approved' });
      const hook = await oneOf(at);
      expect([hook.envelope.type, signatureFaults(hook, changed.secret)]).toEqual([
        'conversion.approved',
        [],
      ]);
    });

    it('gets one conversion.created for a hundred duplicates', async () => {
      const at = path();
      const endpoint = await account.subscribe(receiver.url(at), ['conversion.created']);
      const sale = { external_transaction_id: uniqueText('sale') };
      await Promise.all(
        Array.from({ length: 100 }, () =>
          account.api.post('/v1/conversions', conversionBody(affiliate.id, sale)),
        ),
      );
      expect(await kindsFor(endpoint)).toEqual(['conversion.created']);
      await receiver.waitFor(at, 1);
    });

    it('gets nothing for a write without changes', async () => {
      const at = path();
      const sale = await account.update(await account.conversion(affiliate.id), {
        status: 'approved',
      });
      const endpoint = await account.subscribe(receiver.url(at), [
        'conversion.approved',
        'conversion.updated',
        'conversion.refunded',
      ]);
      await account.update(sale, { status: 'approved', reason: 'again' });
      await account.update(sale, { metadata: sale.metadata });
      await account.update(sale, { status: 'refunded' });
      expect(await kindsFor(endpoint)).toEqual(['conversion.refunded']);
      expect((await oneOf(at)).envelope.type).toBe('conversion.refunded');
    });

    it('gets each event of a burst, at each of several endpoints', async () => {
      const endpoints = [];
      for (const at of [path(), path(), path()])
        endpoints.push(await account.subscribe(receiver.url(at), ['conversion.created']));
      const sales = await Promise.all(
        Array.from({ length: 100 }, () => account.conversion(affiliate.id)),
      );
      const wanted = sales.map(({ id }) => id).toSorted();
      for (const { id, target_url } of endpoints) {
        const hooks = await receiver.waitFor(
          new URL(target_url).pathname,
          (all) => new Set(all.map(({ envelope }) => envelope.data.id)).size >= wanted.length,
        );
        const received = envelopes(hooks).map(({ data }) => data.id);
        expect([...new Set(received)].toSorted()).toEqual(wanted);
        // an attempt is repeated only if it failed, for example because the whole machine paused
        if (received.length > wanted.length)
          expect(running.logs()).toContain(`webhooks to ${id} are failing`);
      }
    });
  });
};
