/// <reference types="jest" />
import {
  ApiClient,
  conversionBody,
  eventually,
  expectStatus,
  TestAccount,
  type Balance,
  type Conversion,
  type DistributedService,
  type Page,
} from '@refledger/testing';
import { openRawKafka } from '@refledger/testing/kafka';
import { expectProblem } from '../black-box/expect-problem.js';
import { OwingAccount } from '../black-box/payouts/owing-account.js';

/**
 * Tests what only several processes show of balances. Needs a service over Kafka with
 * `noRateLimitSettings`.
 */
export const ledgerSuite = (start: () => Promise<DistributedService>): void =>
  describe('balances', () => {
    let service: DistributedService;
    let account: TestAccount;
    let affiliate: string;
    beforeAll(async () => {
      service = await start();
      account = await TestAccount.open(service);
      const terms = { type: 'percentage', rate_bps: 1_000 };
      const { id: program_id } = await account.program({ terms });
      ({ id: affiliate } = await account.affiliate({ program_id }));
    });

    let sold = 0;
    /** Makes an approved sale that earns 100, and returns its position. */
    const sell = async ({ api } = account): Promise<string> => {
      const body = conversionBody(affiliate, { sale_amount: 1_000, sale_currency: 'USD' });
      const { id } = expectStatus(201, await api.post<Conversion>('/v1/conversions', body));
      const approved = await api.patch(`/v1/conversions/${id}`, { status: 'approved' });
      expectStatus(200, approved);
      sold++;
      return approved.header('refledger-position') ?? '';
    };
    const read = (api: ApiClient, position?: string) =>
      api.get<Page<Balance>>(`/v1/affiliates/${affiliate}/balances`, {
        headers: position === undefined ? {} : { 'refledger-min-position': position },
      });
    const expectAll = async (api: ApiClient, position?: string): Promise<void> => {
      const [balance] = expectStatus(200, await read(api, position)).data;
      expect(balance).toMatchObject({ earned: sold * 100, entries: sold });
    };

    it('show an approval at once: on its gateway, and on another one with its position', async () => {
      const gateway = await service.startAnother('gateway');
      const elsewhere = await ApiClient.connect(gateway, account.api.key);
      for (let n = 0; n < 20; n++) {
        const position = await sell();
        await Promise.all([expectAll(account.api), expectAll(elsewhere, position)]);
      }
      await gateway.leave();
    });

    it('and payouts reach Kafka in order for each affiliate', async () => {
      const owing = await OwingAccount.open(service);
      /** Adds money that an affiliate is owed and pays it, twice. The first payout comes back. */
      const paidTwice = async (): Promise<string> => {
        const payee = await owing.owed(300);
        const failed = await owing.account.update(await owing.paid(payee), { status: 'completed' });
        await owing.account.update(failed, { status: 'failed', reason: 'account closed' });
        await owing.account.update(await owing.owe(payee, 50), {
          status: 'voided',
          reason: 'a mistake',
        });
        await owing.account.update(await owing.paid(payee), { status: 'completed' });
        return payee.id;
      };
      const payees = await Promise.all(Array.from({ length: 5 }, paidTwice));

      const kinds = new Map<string, string[]>();
      await openRawKafka(service.engines[2]?.url ?? '').consume(
        'refledger.payouts',
        payees.length * expectedKinds.length,
        ({ key, headers }) => {
          const ofKey = kinds.get(String(key)) ?? [];
          kinds.set(String(key), [...ofKey, String(headers?.['ce_type'])]);
        },
      );
      expect(kinds).toEqual(new Map(payees.map((id) => [id, expectedKinds])));
    });

    it('are ledger_behind without the ledger, and complete once it is back', async () => {
      const impatient = await account.atGateway(await service.impatient());
      const ledger = service.roles.find(({ role }) => role === 'ledger');
      await ledger?.kill();
      const position = await sell(impatient);
      for (const response of await Promise.all([
        read(impatient.api),
        read(impatient.api, position),
      ]))
        expectProblem(response, 503, 'ledger_behind');
      // conversions continue meanwhile
      expectStatus(200, await account.api.get('/v1/conversions', { query: { limit: 1 } }));
      await sell();
      await ledger?.start();
      await eventually(() => expectAll(account.api), { timeoutMs: 60_000 });
    });
  });

const expectedKinds = [
  'adjustment.created',
  'payout.created',
  'payout.completed',
  'payout.failed',
  'adjustment.created',
  'adjustment.voided',
  'payout.created',
  'payout.completed',
];
