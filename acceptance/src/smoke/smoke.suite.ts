/// <reference types="jest" />
import {
  affiliateBody,
  ApiClient,
  adjustmentBody,
  conversionBody,
  eventually,
  type Adjustment,
  type Affiliate,
  type AffiliateStats,
  type ApiKey,
  type Account,
  type Balance,
  type Conversion,
  type Delivery,
  type Endpoint,
  type Entry,
  type HookReceiver,
  type Page,
  type Payout,
  type PayoutRun,
  programBody,
  type Program,
  type Replay,
  type ServiceFactory,
  startHookReceiver,
  subscriptionBody,
} from '@refledger/testing';
import { Calls } from './calls.js';

/**
 * Calls each operation of the contract successfully, so that every process of a service and every
 * read model takes part: sales that earn, webhooks, a payout and a payout run.
 */
export const smokeSuite = (service: ServiceFactory): void => {
  describe('each operation', () => {
    let operator: Calls;
    let calls: Calls;
    let receiver: HookReceiver;
    let program: Program;
    let affiliate: Affiliate;
    let endpoint: Endpoint;
    beforeAll(async () => {
      const { baseUrl, adminKey } = await service();
      receiver = await startHookReceiver();
      operator = new Calls(await ApiClient.connect({ baseUrl }, adminKey));
      const account = await operator.call<Account>('POST /v1/accounts', [], {
        json: { name: 'Smoke' },
      });
      calls = operator.withApi(await ApiClient.connect({ baseUrl }, account.api_key));
    });
    afterAll(() => receiver.close());

    const list = async <T>(path: string, query = {}): Promise<readonly T[]> =>
      (await calls.call<Page<T>>(`GET ${path}`, [], { query })).data;
    /** The ids of a list that must contain these records. */
    const expectListed = async (path: string, ids: readonly string[]): Promise<void> => {
      const listed = await list<{ readonly id: string }>(path);
      expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([...ids]));
    };
    const expectHistory = async (path: string, id: string, changes: number): Promise<void> => {
      const { data } = await calls.call<Page<object>>(`GET ${path}/{id}/history`, [id]);
      expect(data).toHaveLength(changes);
    };

    it('of accounts and keys', async () => {
      const own = await calls.call<Account>('GET /v1/account');
      const { data } = await operator.call<Page<Account>>('GET /v1/accounts');
      expect(data.map(({ id }) => id)).toContain(own.id);
      const json = { name: 'shop', scope: 'write' };
      const key = await calls.call<ApiKey>('POST /v1/api-keys', [], { json });
      await expectListed('/v1/api-keys', [key.id]);
      await calls.call('DELETE /v1/api-keys/{id}', [key.id]);
    });

    it('of programs', async () => {
      const terms = { type: 'percentage', rate_bps: 1_000 };
      const json = programBody({ terms, conversion_approval: 'manual' });
      program = await calls.call('POST /v1/programs', [], { json });
      expect(await calls.call('GET /v1/programs/{id}', [program.id])).toEqual(program);
      const name = { json: { name: 'Summer' } };
      program = await calls.call('PATCH /v1/programs/{id}', [program.id], name);
      await expectListed('/v1/programs', [program.id]);
      await expectHistory('/v1/programs', program.id, 2);
      await calls.call('GET /v1/programs/{id}/terms', [program.id]);
      const sale = { json: { sale_amount: 5_000, sale_currency: 'USD' } };
      expect(await calls.call('POST /v1/programs/{id}/quote', [program.id], sale)).toMatchObject({
        commission_amount: 500,
      });
    });

    it('of affiliates', async () => {
      const create = async (): Promise<Affiliate> =>
        calls.call('POST /v1/affiliates', [], { json: affiliateBody({ program_id: program.id }) });
      const [other] = [await create(), (affiliate = await create())];
      const approved = { json: { status: 'approved' } };
      affiliate = await calls.call('PATCH /v1/affiliates/{id}', [affiliate.id], approved);
      expect(await calls.call('GET /v1/affiliates/{id}', [affiliate.id])).toEqual(affiliate);
      await expectListed('/v1/affiliates', [affiliate.id, other.id]);
      await expectHistory('/v1/affiliates', affiliate.id, 2);
      await calls.call('DELETE /v1/affiliates/{id}', [other.id]);
      const erasure = await calls.call('POST /v1/affiliates/{id}/erase', [other.id]);
      expect(erasure).toMatchObject({ affiliate_id: other.id, status: 'finished' });
      expect(await calls.call('GET /v1/affiliates/{id}/erasure', [other.id])).toEqual(erasure);
      await expectListed('/v1/erasures', [other.id]);
    });

    it('of endpoints', async () => {
      const json = subscriptionBody(receiver.url('/hook'), ['conversion.created']);
      endpoint = await calls.call('POST /v1/webhooks/subscribe', [], { json });
      const { id } = endpoint;
      await calls.call('PATCH /v1/webhooks/{id}', [id], { json: { description: 'shop' } });
      expect(await calls.call('GET /v1/webhooks/{id}', [id])).toMatchObject({ id });
      await expectListed('/v1/webhooks', [id]);
      await expectHistory('/v1/webhooks', id, 2);
      expect(await calls.call('GET /v1/webhooks/{id}/secret', [id])).toMatchObject({
        secret: endpoint.secret,
      });
      await calls.call('POST /v1/webhooks/{id}/rotate-secret', [id], { json: {} });
      expect(await calls.call('POST /v1/webhooks/{id}/test', [id])).toMatchObject({
        status: 'succeeded',
      });
      const target_url = receiver.url('/other');
      const other = { json: subscriptionBody(target_url, ['conversion.created']) };
      const { id: deleted } = await calls.call<Endpoint>('POST /v1/webhooks/subscribe', [], other);
      await calls.call('DELETE /v1/webhooks/{id}', [deleted]);
      await calls.call('POST /v1/webhooks/subscribe', [], other);
      await calls.call('DELETE /v1/webhooks/subscribe', [], { query: { target_url } });
    });

    it('of conversions, whose webhook arrives', async () => {
      const json = conversionBody(affiliate.id, { sale_amount: 5_000 });
      let sale = await calls.call<Conversion>('POST /v1/conversions', [], { json });
      const approved = { json: { status: 'approved' } };
      sale = await calls.call('PATCH /v1/conversions/{id}', [sale.id], approved);
      expect(await calls.call('GET /v1/conversions/{id}', [sale.id])).toEqual(sale);
      expect(await list('/v1/conversions')).toEqual([sale]);
      await expectHistory('/v1/conversions', sale.id, 2);
      const stats = await calls.call<AffiliateStats>('GET /v1/affiliates/{id}/stats', [
        affiliate.id,
      ]);
      expect(stats.currencies).toMatchObject([
        { currency: 'USD', sale_amount: { approved: 5_000 }, commission_amount: { approved: 500 } },
      ]);
      const arrived = await receiver.waitFor('/hook', (hooks) =>
        hooks.some(({ envelope }) => envelope.data.id === sale.id),
      );
      expect(arrived.at(-1)?.envelope).toMatchObject({ type: 'conversion.created' });
    });

    it('of deliveries and replays', async () => {
      const { id } = endpoint;
      const [delivery] = await eventually(async () => {
        const found = await list<Delivery>('/v1/deliveries', { status: 'succeeded' });
        const { data } = await calls.call<Page<Delivery>>('GET /v1/webhooks/{id}/deliveries', [id]);
        expect(data).toEqual(found);
        expect(found.filter(({ trigger }) => trigger === 'event')).toHaveLength(1);
        return found.filter(({ trigger }) => trigger === 'event');
      });
      const one = [id, delivery?.id ?? ''];
      await calls.call('GET /v1/webhooks/{id}/deliveries/{delivery_id}', one);
      await calls.call('POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver', one);
      await calls.call('GET /v1/webhooks/{id}/stats', [id]);
      const replayAll = () =>
        calls.call<Replay>('POST /v1/webhooks/{id}/replays', [id], {
          json: { since: '0', only: 'all' },
        });
      const replay = await replayAll();
      await eventually(async () =>
        expect(
          await calls.call('GET /v1/webhooks/{id}/replays/{replay_id}', [id, replay.id]),
        ).toMatchObject({ status: 'finished', planned: 1, succeeded: 1 }),
      );
      const stopped = await replayAll();
      await calls.call('DELETE /v1/webhooks/{id}/replays/{replay_id}', [id, stopped.id]);
      const { data } = await calls.call<Page<Replay>>('GET /v1/webhooks/{id}/replays', [id]);
      expect(data).toHaveLength(2);
    });

    it('of adjustments', async () => {
      const create = () =>
        calls.call<Adjustment>('POST /v1/adjustments', [], { json: adjustmentBody(affiliate.id) });
      const [kept, voided] = [await create(), await create()];
      const json = { status: 'voided', reason: 'a mistake' };
      await calls.call('PATCH /v1/adjustments/{id}', [voided.id], { json });
      expect(await calls.call('GET /v1/adjustments/{id}', [kept.id])).toEqual(kept);
      await expectListed('/v1/adjustments', [kept.id, voided.id]);
      await expectHistory('/v1/adjustments', voided.id, 2);
    });

    it('of balances, entries and statements, which agree', async () => {
      const [balance] = await list<Balance>('/v1/balances');
      if (balance === undefined) throw new Error('there is no balance');
      expect(balance).toMatchObject({ earned: 500, adjusted: 8_000, entries: 4 });
      expect(await calls.call('GET /v1/balances/{id}', [balance.id])).toEqual(balance);
      const { data } = await calls.call<Page<Balance>>('GET /v1/affiliates/{id}/balances', [
        affiliate.id,
      ]);
      expect(data).toEqual([balance]);
      const entries = await list<Entry>('/v1/entries');
      expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(8_500);
      expect(await calls.call('GET /v1/entries/{id}', [entries[0]?.id ?? ''])).toEqual(entries[0]);
      expect(await calls.call('GET /v1/balances/summary')).toMatchObject({
        currencies: [{ currency: 'USD', balances: 1, held: 500, payable: 8_000 }],
      });
      const ledger = await calls.call<readonly object[]>('GET /v1/balances/{id}/ledger', [
        balance.id,
      ]);
      expect(ledger.at(-1)).toMatchObject({ object: 'end', count: 4, chain: balance.chain });
      const query = { month: new Date().toISOString().slice(0, 7) };
      await calls.call('GET /v1/balances/{id}/statement', [balance.id], { query });
      await calls.call('GET /v1/statements/summary', [], { query });
    });

    /** Makes the affiliate's balance payable, whatever its hold days. */
    const owe = () =>
      calls.call('POST /v1/adjustments', [], { json: adjustmentBody(affiliate.id) });

    it('of payouts', async () => {
      const json = { affiliate_id: affiliate.id, currency: 'USD', ignore_minimum: true };
      const pay = () => calls.call<Payout>('POST /v1/payouts', [], { json });
      const [paid, imported] = [await pay(), (await owe(), await pay())];
      const completed = { json: { status: 'completed' } };
      const now = await calls.call('PATCH /v1/payouts/{id}', [paid.id], completed);
      const result = { payout_id: imported.id, status: 'completed' };
      await calls.call('POST /v1/payouts/import', [], {
        body: `${JSON.stringify(result)}\n`,
        headers: { 'content-type': 'application/x-ndjson' },
      });
      expect(await calls.call('GET /v1/payouts/{id}', [paid.id])).toEqual(now);
      await expectListed('/v1/payouts', [paid.id, imported.id]);
      await expectHistory('/v1/payouts', imported.id, 2);
      const { data } = await calls.call<Page<Entry>>('GET /v1/payouts/{id}/entries', [paid.id]);
      expect(data.reduce((sum, { amount }) => sum + amount, 0)).toBe(paid.amount);
    });

    it('of payout runs', async () => {
      await owe();
      const started = await calls.call<PayoutRun>('POST /v1/payout-runs', [], {
        json: { ignore_minimum: true },
      });
      const read = () => calls.call<PayoutRun>('GET /v1/payout-runs/{id}', [started.id]);
      const run = await eventually(async () => {
        const found = await read();
        expect(found.status).toBe('finished');
        return found;
      });
      expect(run).toMatchObject({ totals: [{ currency: 'USD', amount: 8_000 }] });
      await expectListed('/v1/payout-runs', [run.id]);
      const query = { format: 'csv' };
      await calls.call('GET /v1/payout-runs/{id}/file', [run.id], { query });
      const json = { status: 'completed' };
      await calls.call('PATCH /v1/payout-runs/{id}', [run.id], { json });
      await eventually(async () =>
        expect((await read()).marks).toMatchObject([{ applied_at: expect.any(String) as unknown }]),
      );
      await calls.call('GET /v1/payout-runs/{id}/history', [run.id]);
    });

    it('of the contract is among these', async () => expect(await calls.missing()).toEqual([]));
  });
};
