/// <reference types="jest" />
import {
  type ApiResponse,
  expectStatus,
  type Payout,
  type ServiceFactory,
  waitFor,
  uniqueText,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';
import { itReads } from '../it-reads.js';
import { keyed, OwingAccount } from './owing-account.js';

/** Tests payouts that are requested several times, one after another or at the same time. */
export const concurrentPayoutsSuite = (service: ServiceFactory): void => {
  describe('a payout that is requested again', () => {
    let owing: OwingAccount;
    const withReads = itReads(service);
    beforeAll(async () => void (owing = await OwingAccount.open(await service())));

    const statuses = (responses: readonly ApiResponse[]): number[] =>
      responses.map(({ status }) => status).toSorted((a, b) => a - b);
    const expectReplay = (response: ApiResponse<Payout>): Payout => {
      expect([response.status, response.header('idempotent-replayed')]).toEqual([200, 'true']);
      return response.body;
    };

    withReads('a hundred times at once with one key is one payout, and stays one', async () => {
      const ada = await owing.owed(500);
      const key = keyed(uniqueText('key'));
      const responses = await Promise.all(
        Array.from({ length: 100 }, () => owing.pay(ada, { metadata: { a: '1' } }, key)),
      );
      expect(statuses(responses)).toEqual([...Array<number>(99).fill(200), 201]);
      expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
      for (const response of responses)
        expect(response.header('idempotent-replayed')).toBe(
          response.status === 201 ? undefined : 'true',
        );
      const [made] = responses as [ApiResponse<Payout>];
      const replay = async (): Promise<Payout> =>
        expectReplay(await owing.pay(ada, { metadata: { a: '1' }, currency: 'usd' }, key));
      expect(await replay()).toEqual(made.body);
      expect(await owing.balance(ada)).toMatchObject({ payable: 0, in_payout: 500 });

      const completed = await owing.account.update(made.body, { status: 'completed' });
      expect(await replay()).toEqual(completed);
      await owing.owe(ada, 70);
      const second = await owing.paid(ada);
      expect(await replay()).toEqual(completed);
      const failed = await owing.account.update(completed, { status: 'failed', reason: 'closed' });
      const third = await owing.paid(ada);
      expect([second.amount, third.amount]).toEqual([70, 500]);
      expect(await replay()).toEqual(failed);
      const payouts = await owing.account.all('/v1/payouts', { affiliate_id: ada.id });
      expect(payouts).toHaveLength(3);
      expect(await owing.balance(ada)).toMatchObject({ payable: 0, in_payout: 570, paid: 0 });
    });

    withReads('with the same key and another body is refused', async () => {
      const ada = await owing.owed(500);
      const bob = await owing.owed(500);
      const key = keyed(uniqueText('key'));
      const made = expectStatus(201, await owing.pay(ada, {}, key));
      for (const over of [
        { currency: 'EUR' },
        { ignore_minimum: true },
        { even_if_not_approved: true },
        { partial: true },
        { description: 'January' },
        { metadata: { a: '1' } },
        { affiliate_id: bob.id },
        // the first request did not send this day: it is the default
        { until: made.until },
      ])
        expectProblem(await owing.pay(ada, over, key), 422, 'idempotency_key_reused');
      for (const over of [{}, { ignore_minimum: false, partial: false, metadata: {} }])
        expect(expectReplay(await owing.pay(ada, over, key))).toEqual(made);
      expect(await owing.balance(bob)).toMatchObject({ payable: 500, in_payout: 0 });
    });

    withReads('with the same key at once for two affiliates pays one of them', async () => {
      for (let round = 0; round < 4; round++) {
        const affiliates = [await owing.owed(500), await owing.owed(600)] as const;
        const key = keyed(uniqueText('key'));
        const responses = await Promise.all(affiliates.map((one) => owing.pay(one, {}, key)));
        expect([round, statuses(responses)]).toEqual([round, [201, 422]]);
        const loser = responses.findIndex(({ status }) => status === 422);
        expectProblem(responses[loser] as ApiResponse, 422, 'idempotency_key_reused');
        const [winning, losing] = loser === 1 ? affiliates : affiliates.toReversed();
        if (winning === undefined || losing === undefined) throw new Error('no affiliate');
        expect(responses[1 - loser]?.body.affiliate_id).toBe(winning.id);

        const open = await waitFor(async () => {
          const balance = await owing.balance(losing);
          return balance.in_payout === 0 && balance;
        });
        expect(open).toMatchObject({ payable: open.adjusted, paid: 0 });
        expect((await owing.entries(losing)).map(({ payout_id }) => payout_id)).toEqual([null]);
        const own = await owing.paid(losing);
        expect(own.amount).toBe(open.adjusted);
        expect(await owing.lines(own)).toMatchObject([{ payout_id: own.id }]);
        expect(await owing.balance(losing)).toMatchObject({ payable: 0, in_payout: own.amount });
        expect(await owing.balance(winning)).toMatchObject({ payable: 0 });
      }
    });

    withReads('with the same key at once for two currencies pays one of them', async () => {
      const ada = await owing.owed(500);
      await owing.owe(ada, 600, { currency: 'EUR' });
      const key = keyed(uniqueText('key'));
      const responses = await Promise.all(
        ['USD', 'EUR'].map((currency) => owing.pay(ada, { currency }, key)),
      );
      expect(statuses(responses)).toEqual([201, 422]);
      const currency = responses[0]?.status === 422 ? 'USD' : 'EUR';
      const own = await waitFor(async () => {
        const response = await owing.pay(ada, { currency });
        return response.status === 201 && response.body;
      });
      expect(own.amount).toBe(currency === 'USD' ? 500 : 600);
    });

    withReads('twenty times at once with different keys is one payout', async () => {
      const ada = await owing.owed(500);
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => owing.pay(ada, {}, keyed(uniqueText('key')))),
      );
      expect(statuses(responses)).toEqual([201, ...Array<number>(19).fill(409)]);
      for (const response of responses.filter(({ status }) => status === 409))
        expect(expectProblem(response, 409, 'nothing_payable')).toMatchObject({
          payable: 0,
          next_payable_on: null,
        });
      expect(await owing.balance(ada)).toMatchObject({ payable: 0, in_payout: 500 });
    });

    withReads('alongside new entries takes each entry once', async () => {
      const ada = await owing.owed(1);
      const responses = await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          await owing.owe(ada, n + 1);
          return owing.pay(ada);
        }),
      );
      const payouts = responses.flatMap(({ status, body }) => (status === 201 ? [body] : []));
      const total = 1 + (20 * 21) / 2;
      // every entry acknowledged before a request is in a payout
      expect(payouts.reduce((sum, { amount }) => sum + amount, 0)).toBe(total);
      const lines = (await Promise.all(payouts.map((payout) => owing.lines(payout)))).flat();
      expect(new Set(lines.map(({ id }) => id)).size).toBe(21);
      expect(lines).toHaveLength(21);
      expect(await owing.balance(ada)).toMatchObject({ payable: 0, in_payout: total });
    });
  });
};
