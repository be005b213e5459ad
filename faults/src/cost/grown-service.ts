import { join } from 'node:path';
import { streams, type AccountId, type AffiliateId, type ConversionId } from '@refledger/contracts';
import {
  ApiClient,
  cpuSeconds,
  expectStatus,
  subscriptionBody,
  TestAccount,
  until,
  type Affiliate,
  type Answer,
  type ApiKey,
  type Conversion,
  type Page,
  type StandaloneService,
} from '@refledger/testing';
import { appendHistory } from './append-history.js';
import type { Growth } from './growth.js';

/** One request of an operation. `n` is different each time. */
export type Ask = (n: number) => Promise<Answer>;

/** The account, affiliate and conversion that have a history. */
interface Past {
  readonly account: TestAccount;
  readonly affiliate: Affiliate;
  readonly conversion: Conversion;
}

/** A service with a past, and the records that requests can name there. */
export class GrownService {
  readonly account: TestAccount;
  readonly affiliate: Affiliate;
  readonly conversion: Conversion;
  readonly target = target;

  private constructor(
    private readonly service: StandaloneService,
    private readonly growth: Growth,
    readonly operator: ApiClient,
    { account, affiliate, conversion }: Past,
  ) {
    this.account = account;
    this.affiliate = affiliate;
    this.conversion = conversion;
  }

  /** Gives a new service its past, and leaves it running. */
  static async of(service: StandaloneService, growth: Growth): Promise<GrownService> {
    const account = await TestAccount.open(service);
    const affiliate = await account.affiliate();
    const conversion = await account.conversion(affiliate.id, { external_transaction_id: 'tx' });
    await account.update(affiliate, { metadata: { changed: 'yes' } });
    await account.update(conversion, { metadata: { changed: 'yes' } });
    await account.subscribe(target, ['payout.completed']);
    const changed = subscriptionBody(target, ['payout.failed']);
    expectStatus(200, await account.api.post('/v1/webhooks/subscribe', changed));

    await service.kill();
    const examples = {
      account: streams.account(account.id as AccountId),
      keys: streams.keys(account.id as AccountId),
      webhooks: streams.webhooks(account.id as AccountId),
      affiliate: streams.affiliate(affiliate.id as AffiliateId),
      conversion: streams.conversion(conversion.id as ConversionId),
    };
    await appendHistory(join(service.dataDir, 'events.db'), examples, growth);
    await service.start();
    const operator = await ApiClient.of(service, service.adminKey);
    const past = { account, affiliate, conversion };
    const grown = new GrownService(service, growth, operator, past);
    await grown.caughtUp(await account.api.get(`/v1/conversions/${conversion.id}`));
    return grown;
  }

  get api(): ApiClient {
    return this.account.api;
  }

  /** The cursor of a page that `depth` pages come before. */
  async deepCursor(path: string, client = this.api): Promise<string> {
    let cursor = '';
    for (let page = 0; page < this.growth.depth; page += 1) {
      const query = { limit: 25, ...(cursor !== '' && { cursor }) };
      const { next_cursor } = expectStatus(200, await client.get<Page<unknown>>(path, { query }));
      cursor = next_cursor ?? '';
      if (cursor === '') throw new Error(`${path} has no page ${page + 2}`);
    }
    return cursor;
  }

  async key(): Promise<string> {
    const key = await this.api.post<ApiKey>('/v1/api-keys', { name: 'k', scope: 'read' });
    return expectStatus(201, key).id;
  }

  /**
   * CPU seconds that `times` requests and all the work that follows from them take. Sends half as
   * many before, to warm up.
   */
  async cost(ask: Ask, times: number): Promise<number> {
    await this.repeat(ask, 0, times / 2);
    const before = cpuSeconds(this.service);
    await this.repeat(ask, times / 2, times);
    const after = cpuSeconds(this.service);
    if (before === undefined || after === undefined) throw new Error('only on Linux');
    return after - before;
  }

  private async repeat(ask: Ask, from: number, times: number): Promise<void> {
    let answer: Answer | undefined;
    for (let n = from; n < from + times; n += 1) answer = await ask(n);
    if (answer !== undefined) await this.caughtUp(answer);
  }

  /** Waits until the read models have reached the position of this answer. */
  private async caughtUp({ header }: Answer): Promise<void> {
    const headers = { 'refledger-min-position': header('refledger-position') };
    const query = { limit: 1 };
    const read = () => this.api.get('/v1/conversions', { headers, query });
    await until(async () => (await read()).status === 200);
  }
}

/** The target of its endpoint. Nothing is ever sent there. */
const target = 'https://receiver.example/hooks';
