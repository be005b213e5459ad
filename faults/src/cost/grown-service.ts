import {
  streams,
  type AdjustmentId,
  type AffiliateId,
  type ConversionId,
  type PayoutId,
  type ProgramId,
} from '@refledger/contracts';
import {
  ApiClient,
  cpuSeconds,
  expectStatus,
  subscriptionBody,
  TestAccount,
  waitFor,
  type Adjustment,
  type Affiliate,
  type ApiResponse,
  type ApiKey,
  type Balance,
  type Conversion,
  type Endpoint,
  type Page,
  type Payout,
  type StandaloneService,
} from '@refledger/testing';
import { appendHistory } from './append-history.js';
import type { Growth } from './growth.js';
import { measured, sent } from './times.js';

/** One request of an operation. `n` is different each time. */
export type SendRequest = (n: number) => Promise<ApiResponse>;

/** The account and its records that have a history. */
interface GrownRecords {
  readonly account: TestAccount;
  readonly affiliate: Affiliate;
  readonly conversion: Conversion;
  readonly adjustment: Adjustment;
  readonly payout: Payout;
  readonly endpoint: Endpoint;
}

/** A service with a history, and the records that requests can name there. */
export class GrownService {
  readonly account: TestAccount;
  readonly affiliate: Affiliate;
  readonly conversion: Conversion;
  readonly adjustment: Adjustment;
  /** A payout of another affiliate. */
  readonly payout: Payout;
  readonly endpoint: Endpoint;
  readonly target = target;

  private constructor(
    private readonly service: StandaloneService,
    private readonly growth: Growth,
    readonly operator: ApiClient,
    { account, affiliate, conversion, adjustment, payout, endpoint }: GrownRecords,
  ) {
    this.account = account;
    this.affiliate = affiliate;
    this.conversion = conversion;
    this.adjustment = adjustment;
    this.payout = payout;
    this.endpoint = endpoint;
  }

  /** Gives a new service its history, and leaves it running. */
  static async create(service: StandaloneService, growth: Growth): Promise<GrownService> {
    const account = await TestAccount.open(service);
    const affiliate = await account.affiliate();
    const conversion = await account.conversion(affiliate.id, { external_transaction_id: 'tx' });
    await account.update(affiliate, { metadata: { changed: 'yes' } });
    await account.update(conversion, { metadata: { changed: 'yes' } });
    const adjustment = await account.adjustment(affiliate.id);
    await account.update(adjustment, { metadata: { changed: 'yes' } });
    const paid = await account.affiliate();
    await account.adjustment(paid.id);
    const payout = await account.payout(paid.id, { even_if_not_approved: true });
    await account.update(payout, { metadata: { changed: 'yes' } });
    const program = `/v1/programs/${affiliate.program_id}`;
    expectStatus(200, await account.api.patch(program, { metadata: { changed: 'yes' } }));
    const endpoint = await account.subscribe(target, ['payout.completed']);
    const changed = subscriptionBody(target, ['payout.failed']);
    expectStatus(200, await account.api.post('/v1/webhooks/subscribe', changed));

    await service.kill();
    const examples = {
      account: streams.account(account.id),
      keys: streams.keys(account.id),
      webhooks: streams.webhooks(account.id),
      affiliate: streams.affiliate(affiliate.id as AffiliateId),
      program: streams.program(account.id, affiliate.program_id as ProgramId),
      conversion: streams.conversion(conversion.id as ConversionId),
      adjustment: streams.adjustment(adjustment.id as AdjustmentId),
      payout: streams.payout(payout.id as PayoutId),
    };
    await appendHistory(service.dataDir, examples, growth);
    await service.start();
    const operator = await ApiClient.connect(service, service.adminKey);
    const past = { account, affiliate, conversion, adjustment, payout, endpoint };
    const grown = new GrownService(service, growth, operator, past);
    await grown.caughtUp(await account.api.get(`/v1/conversions/${conversion.id}`));
    return grown;
  }

  get api(): ApiClient {
    return this.account.api;
  }

  /** The affiliate's balance with the most entries. */
  async balance(): Promise<Balance> {
    const path = `/v1/affiliates/${this.affiliate.id}/balances`;
    const { data } = expectStatus(200, await this.api.get<Page<Balance>>(path));
    const [balance] = [...data].sort((a, b) => b.entries - a.entries);
    if (balance === undefined) throw new Error('the affiliate has no balance');
    return balance;
  }

  /** The cursor of the page after the first `depth` pages. */
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
   * CPU seconds that requests and all the work that follows from them take. Sends others before
   * them, to warm up, and numbers all of them from `first`.
   */
  async cost(send: SendRequest, first: number): Promise<number> {
    await this.repeat(send, first, first + measured);
    const before = cpuSeconds(this.service);
    await this.repeat(send, first + measured, first + sent);
    const after = cpuSeconds(this.service);
    if (before === undefined || after === undefined) throw new Error('only Linux reports CPU time');
    return after - before;
  }

  private async repeat(send: SendRequest, from: number, times: number): Promise<void> {
    let response: ApiResponse | undefined;
    for (let n = from; n < from + times; n += 1) response = await send(n);
    if (response !== undefined) await this.caughtUp(response);
  }

  /** Waits until the read models and the ledger have reached the position of this response. */
  private async caughtUp({ header }: ApiResponse): Promise<void> {
    const headers = { 'refledger-min-position': header('refledger-position') };
    const query = { limit: 1 };
    for (const list of ['/v1/conversions', '/v1/entries'])
      await waitFor(async () => (await this.api.get(list, { headers, query })).status === 200, {
        timeoutMs: 120_000,
      });
  }
}

/** The target of its endpoint. Nothing is ever sent there. */
const target = 'https://receiver.example/hooks';
