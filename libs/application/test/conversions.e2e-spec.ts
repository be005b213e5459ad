import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  newId,
  streams,
  type AccountId,
  type ConversionId,
  type UpdateProgram,
} from '@refledger/contracts';
import {
  conversionDecider,
  conversionRecord,
  firstAccountId,
  programDecider,
} from '@refledger/domain';
import { plainAffiliateDecider, type PlainAffiliateCommand } from '@refledger/domain/testing';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import { scaledTimeout } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { startDisposableEventStoreDb, type TestServer } from '@refledger/testing/servers';
import { newContext } from '../src/command-context.js';
import { CommandHandler } from '../src/command-handler.js';
import { ConversionCommands } from '../src/conversions/conversion-commands.js';

const program_id = 'prog_spring';
const contextOf = (accountId: AccountId) =>
  newContext({ accountId, actor: 'test', requestId: 'r' });
const context = () => contextOf(firstAccountId);

/** One gateway, with a cache of its own. */
class Gateway {
  readonly commands: CommandHandler;
  private readonly conversions: ConversionCommands;

  constructor(log: EventLog) {
    this.commands = new CommandHandler(log);
    this.conversions = new ConversionCommands(this.commands);
  }

  async sell(
    affiliate_id: string,
    id: ConversionId = newId('conversion'),
    account = firstAccountId,
  ) {
    const sale = { affiliate_id, sale_amount: 10_000, sale_currency: 'USD' };
    const { state, events } = await this.conversions.record(id, sale, contextOf(account));
    return { record: conversionRecord(state), types: events.map(({ type }) => type) };
  }

  /** Lets a sale that was recorded without terms take those in force. */
  async takeTerms(id: ConversionId) {
    const { state } = await this.commands.run({
      stream: streams.conversion(id),
      decider: conversionDecider,
      context: context(),
      command: (existing) =>
        this.conversions.change(
          { conversion_id: id, patch: { commission: 'by_terms' } },
          existing,
          context(),
        ),
    });
    return conversionRecord(state);
  }

  async createProgram(): Promise<void> {
    await this.commands.run({
      stream: streams.program(firstAccountId, program_id),
      decider: programDecider,
      context: context(),
      command: { type: 'create', program_id, program: { name: 'Spring' }, isIdChosen: true },
    });
  }

  async changeProgram(patch: UpdateProgram): Promise<void> {
    await this.commands.run({
      stream: streams.program(firstAccountId, program_id),
      decider: programDecider,
      context: context(),
      command: { type: 'update', program_id, patch },
    });
  }

  async changeAffiliate(command: PlainAffiliateCommand): Promise<void> {
    await this.commands.run({
      stream: streams.affiliate(command.affiliate_id),
      decider: plainAffiliateDecider,
      context: context(),
      command,
    });
  }
}

/**
 * Tests that decisions on sales read the streams of the affiliate and the program, not a cached
 * copy of them.
 */
const decidesOnFreshStreams = (open: () => Promise<EventLog>): void => {
  describe('a decision on a sale', () => {
    let first: Gateway;
    let second: Gateway;
    const affiliate_id = newId('affiliate');
    beforeAll(async () => {
      [first, second] = [new Gateway(await open()), new Gateway(await open())];
      await first.createProgram();
      const ada = { program_id, email: 'ada@example.com', name: 'Ada', metadata: {} } as const;
      await first.changeAffiliate({ type: 'create', affiliate_id, approval: 'automatic', ...ada });
    });

    it(
      'takes terms that another gateway has just changed, 1,000 times out of 1,000',
      async () => {
        const earned: unknown[] = [];
        const expected: unknown[] = [];
        for (let n = 1; n <= 1_000; n++) {
          const [writer, seller] = n % 2 === 0 ? [first, second] : [second, first];
          await writer.changeProgram({ terms: { type: 'percentage', rate_bps: n } });
          const { record } = await seller.sell(affiliate_id);
          earned.push([record?.commission_amount, record?.commission.terms_version]);
          expected.push([n, n]);
        }
        expect(earned).toEqual(expected);
      },
      scaledTimeout(60_000),
    );

    it('takes terms later that another gateway has just changed', async () => {
      const own = { type: 'flat', amounts: { USD: 7 } } as const;
      const change = (commission: typeof own | null) =>
        first.changeAffiliate({ type: 'update', affiliate_id, patch: { commission } });
      for (let n = 1; n <= 20; n++) {
        await first.changeProgram({ terms: null });
        const { record } = await second.sell(affiliate_id);
        expect(record?.commission.why).toBe('no_terms');
        await first.changeProgram({ terms: { type: 'percentage', rate_bps: n } });
        if (n % 2 === 0) await change(own);
        expect((await second.takeTerms(present(record).id))?.commission_amount).toBe(
          n % 2 === 0 ? 7 : n,
        );
        await change(null);
        expect((await first.takeTerms(present(record).id))?.revision).toBe(1);
      }
      await first.changeProgram({ terms: { type: 'percentage', rate_bps: 1_000 } });
    });

    it("takes the affiliate's own terms that another gateway has just changed", async () => {
      const own = { type: 'flat', amounts: { USD: 7 } } as const;
      for (const [commission, amount] of [
        [own, 7],
        [null, 1_000],
        [{ ...own, amounts: { USD: 8 } }, 8],
        [null, 1_000],
      ] as const) {
        await first.changeAffiliate({ type: 'update', affiliate_id, patch: { commission } });
        expect((await second.sell(affiliate_id)).record?.commission_amount).toBe(amount);
      }
    });

    it('approves new conversions as soon as another gateway says so, with two events', async () => {
      await first.changeProgram({ conversion_approval: 'automatic' });
      const id = newId('conversion');
      const sold = await second.sell(affiliate_id, id);
      expect(sold).toMatchObject({
        types: ['conversion.created', 'conversion.approved'],
        record: { status: 'approved', revision: 1 },
      });
      expect(sold.record?.occurred_at).toBe(sold.record?.created_at);
      await first.changeProgram({ conversion_approval: 'manual' });
      expect(await second.sell(affiliate_id, id)).toEqual({ record: sold.record, types: [] });
      expect((await second.sell(affiliate_id)).types).toEqual(['conversion.created']);
    });

    it("refuses another account's affiliate, and any other id", async () => {
      for (const [id, account] of [
        [affiliate_id, newId('account')],
        [newId('affiliate'), firstAccountId],
        ['ada', firstAccountId],
      ] as const)
        await expect(second.sell(id, newId('conversion'), account)).rejects.toMatchObject({
          code: 'affiliate_not_found',
        });
    });
  });
};

describe('on the embedded log', () => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-conversions-'));
  let log: EventLog | undefined;
  afterAll(async () => {
    await log?.close();
    rmSync(directory, { recursive: true });
  });
  decidesOnFreshStreams(
    async () =>
      (log ??= await openEventLog(embeddedUrls.EVENT_LOG_URL, {
        dataDir: directory,
        mode: 'write',
      })),
  );
});

describe('on EventStoreDB', () => {
  const logs: EventLog[] = [];
  let server: TestServer | undefined;
  afterAll(async () => {
    for (const log of logs) await log.close();
    await server?.stop();
  });
  decidesOnFreshStreams(async () => {
    server ??= await startDisposableEventStoreDb();
    const log = await openEventStoreDbEventLog({ url: server.url });
    logs.push(log);
    return log;
  });
});
