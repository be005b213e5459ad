/// <reference types="jest" />
import {
  type Affiliate,
  type Conversion,
  day,
  type Entry,
  type Envelope,
  expectStatus,
  type Hook,
  type HookReceiver,
  type MovableClock,
  type Payout,
  type ServiceFactory,
  signatureFaults,
  startHookReceiver,
} from '@refledger/testing';
import { Webhook } from 'standardwebhooks';
import { daysAfter } from '../days-after.js';
import { expectProblem, like } from '../expect-problem.js';
import { OwingAccount } from './owing-account.js';

/** A change of a payout's status. */
interface Change {
  readonly status: string;
  readonly reason?: string;
}

/** How far the clock is behind on each day of the example, in milliseconds. */
const nov5 = -14 * day;
const nov7 = -12 * day;
const nov19 = 0;

/**
 * Tests the example of the contract: sales, payouts and a refund over two weeks. `clock` is the
 * service's, and the last day of the example is today.
 */
export const payoutExampleSuite = (service: ServiceFactory, clock: MovableClock): void => {
  // before the service starts, so that its log starts on that day
  clock.startAt(nov5);

  describe('payouts over two weeks', () => {
    let owing: OwingAccount;
    let receiver: HookReceiver;
    let secret: string;
    let affiliate: Affiliate;
    let [sale1, sale2]: Conversion[] = [];
    let shift = nov5;
    const start = Date.now();
    const startDay = new Date(start + nov5).toISOString();
    const failed: Payout[] = [];

    beforeAll(async () => {
      receiver = await startHookReceiver();
      owing = await OwingAccount.open(await service(), { minimum_payout: { USD: 5_000 } });
      const kinds = ['payout.created', 'payout.completed', 'payout.failed'];
      ({ secret } = await owing.account.subscribe(receiver.url('/'), kinds));
      affiliate = await owing.payee();
    });
    afterAll(() => receiver.close());

    const moveTo = (shiftMs: number): Promise<void> => {
      shift = shiftMs;
      return clock.moveTo(shiftMs);
    };
    const approvedSale = async (sale_amount: number, daysBefore: number): Promise<Conversion> => {
      const occurred_at = new Date(start + nov5 - daysBefore * day).toISOString();
      const sale = await owing.account.conversion(affiliate.id, { sale_amount, occurred_at });
      return owing.account.update(sale, { status: 'approved' });
    };
    /** Expects these figures of the balance; the others are 0. */
    const expectBalance = async (figures: object): Promise<void> => {
      const none = { earned: 0, adjusted: 0, held: 0, payable: 0, in_payout: 0, paid: 0 };
      const balance = await owing.balance(affiliate);
      expect(balance).toMatchObject({ ...none, ...figures });
      const { earned, adjusted, held, payable, in_payout, paid } = balance;
      expect(earned + adjusted).toBe(held + payable + in_payout + paid);
    };
    let received = 0;
    /** Expects that the next webhook is this event, with this record, and correctly signed. */
    const expectWebhook = async (type: string, data: Payout): Promise<void> => {
      const hook = (await receiver.waitFor('/', received + 1))[received++];
      if (hook === undefined) throw new Error('no webhook');
      expect(hook.envelope).toEqual({
        id: like.id('evt'),
        type,
        timestamp: data.updated_at,
        account_id: owing.account.id,
        position: like.text(/^\d+$/),
        data,
      } satisfies Record<keyof Envelope, unknown>);
      const then = { ...hook, at: hook.at + shift };
      expect(signatureFaults(then, secret)).toEqual([]);
      expect(verified(then, secret)).toEqual(hook.envelope);
    };
    const pay = async (): Promise<Payout> => {
      const payout = await owing.paid(affiliate);
      await expectWebhook('payout.created', payout);
      return payout;
    };
    const change = async (payout: Payout, body: Change): Promise<Payout> => {
      const changed = await owing.account.update(payout, body);
      await expectWebhook(`payout.${body.status}`, changed);
      return changed;
    };
    /** Returns the lines of a payout. Checks that they are the same when read one at a time. */
    const linesOf = async (payout: Payout): Promise<Entry[]> => {
      const lines = await owing.lines(payout);
      expect(await owing.lines(payout, { limit: 1 })).toEqual(lines);
      expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(payout.amount);
      expect(lines).toHaveLength(payout.entry_count);
      return lines;
    };
    const shown = (lines: readonly Entry[]): unknown[] =>
      lines.map(({ kind, amount, payable_on, payout_id }) => [kind, amount, payable_on, payout_id]);
    const oct31 = daysAfter(startDay, -5);
    const dayOfSale2 = daysAfter(startDay, 14);

    it('1. on Nov 5 the first sale is payable and the second is held', async () => {
      sale1 = await approvedSale(30_000, 35);
      sale2 = await approvedSale(10_000, 16);
      expect([sale1.payable_on, sale2.payable_on]).toEqual([oct31, dayOfSale2]);
      const schedule = [{ payable_on: dayOfSale2, amount: 2_000 }];
      await expectBalance({ earned: 8_000, held: 2_000, payable: 6_000, schedule });

      const { chain, id: balance_id } = await owing.balance(affiliate);
      const payout = await pay();
      expect(payout).toEqual({
        id: like.id('pay'),
        object: 'payout',
        affiliate_id: affiliate.id,
        program_id: affiliate.program_id,
        balance_id,
        run_id: null,
        status: 'created',
        currency: 'USD',
        amount: 6_000,
        entry_count: 1,
        until: daysAfter(payout.created_at, 0),
        description: null,
        reference: null,
        reason: null,
        metadata: {},
        payee_revision: 0,
        chain,
        created_at: like.instant(),
        updated_at: payout.created_at,
        completed_at: null,
        revision: 0,
      });
      await expectBalance({ earned: 8_000, held: 2_000, in_payout: 6_000 });
      const lines = await linesOf(payout);
      expect(lines).toMatchObject([{ conversion_id: sale1.id, number: 1 }]);
      expect(shown(lines)).toEqual([['commission', 6_000, oct31, payout.id]]);

      const completed = await change(payout, { status: 'completed' });
      expect(completed).toMatchObject({ ...payout, ...completed, amount: 6_000, revision: 1 });
      expect(completed.completed_at).toBe(completed.updated_at);
      await expectBalance({ earned: 8_000, held: 2_000, paid: 6_000 });
      expect(await linesOf(completed)).toEqual(lines);
    });

    it('2. on Nov 7 part of the first sale is refunded, and nothing is payable', async () => {
      await moveTo(nov7);
      await owing.account.update(sale1 as Conversion, { refunded_amount: 15_000 });
      await expectBalance({ earned: 5_000, held: 2_000, payable: -3_000, paid: 6_000 });
      const problem = expectProblem(await owing.pay(affiliate), 409, 'nothing_payable');
      expect(problem).toMatchObject({ payable: -3_000, next_payable_on: dayOfSale2 });
      const entries = await owing.entries(affiliate);
      expect(shown(entries).at(-1)).toEqual(['correction', -3_000, oct31, null]);
    });

    it('3. on Nov 19 a bonus and the second sale make up for it', async () => {
      await moveTo(nov19);
      await expectBalance({ earned: 5_000, payable: -1_000, paid: 6_000 });
      const bonus = await owing.owe(affiliate, 8_000);
      const figures = { earned: 5_000, adjusted: 8_000, paid: 6_000 };
      await expectBalance({ ...figures, payable: 7_000 });
      const payout = await pay();
      expect(payout).toMatchObject({ amount: 7_000, entry_count: 3, status: 'created' });
      await expectBalance({ ...figures, in_payout: 7_000 });
      const lines = await linesOf(payout);
      expect(shown(lines)).toEqual([
        ['correction', -3_000, oct31, payout.id],
        ['commission', 2_000, dayOfSale2, payout.id],
        ['adjustment', 8_000, bonus.payable_on, payout.id],
      ]);
      expect(
        lines.map(({ conversion_id, adjustment_id }) => conversion_id ?? adjustment_id),
      ).toEqual([sale1?.id, sale2?.id, bonus.id]);
      failed.push(await change(payout, { status: 'completed' }));
      await expectBalance({ ...figures, paid: 13_000 });
    });

    it('4. the bank returns it, and the next payout has the same lines', async () => {
      const [completed] = failed as [Payout];
      const returned = await change(completed, { status: 'failed', reason: 'closed' });
      const { completed_at } = completed;
      expect(returned).toMatchObject({
        reason: 'closed',
        amount: 7_000,
        completed_at,
        revision: 2,
      });
      const figures = { earned: 5_000, adjusted: 8_000, paid: 6_000 };
      await expectBalance({ ...figures, payable: 7_000 });
      // the payout keeps its lines, but their entries no longer name a payout
      const lines = await linesOf(returned);
      expect(lines.map(({ payout_id }) => payout_id)).toEqual([null, null, null]);

      const next = await pay();
      expect(next.id).not.toBe(returned.id);
      await expectBalance({ ...figures, in_payout: 7_000 });
      expect(await linesOf(next)).toEqual(lines.map((line) => ({ ...line, payout_id: next.id })));
      expect(await linesOf(returned)).toEqual(await linesOf(next));
      for (const { id, payout_id } of await owing.entries(affiliate)) {
        const entry = await owing.api.get<Entry>(`/v1/entries/${id}`);
        expect(expectStatus(200, entry).payout_id).toBe(payout_id);
      }
      await change(next, { status: 'completed' });
      await expectBalance({ ...figures, paid: 13_000 });
      await (await service()).caughtUp();
      expect(await owing.account.all('/v1/deliveries')).toHaveLength(received);
    });
  });
};

/**
 * Returns what the library of a receiver makes of a webhook. The library refuses timestamps that
 * are old by its own clock.
 */
const verified = ({ bytes, headers, at }: Hook, secret: string): unknown => {
  const clockOfReceiver = jest.spyOn(Date, 'now').mockReturnValue(at);
  try {
    const texts = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    );
    return new Webhook(secret).verify(bytes, Object.fromEntries(texts));
  } finally {
    clockOfReceiver.mockRestore();
  }
};
