import { ApiClient, type ApiResponse } from './api-client.js';
import {
  adjustmentBody,
  affiliateBody,
  conversionBody,
  programBody,
  subscriptionBody,
  uniqueText,
} from '../builders.js';
import type { Payout } from '../money-records.js';
import type {
  Account,
  Adjustment,
  Affiliate,
  ApiKey,
  Conversion,
  Page,
  Program,
  PublicRecord,
  Scope,
} from '../records.js';
import type { Endpoint } from '../webhook-records.js';
import type { Service } from '../service.js';

/** A separate account for a test, so that tests do not interfere with each other. */
export class TestAccount {
  private constructor(
    readonly id: Account['id'],
    /** A client with the account's first key, which has scope `admin`. */
    readonly api: ApiClient,
  ) {}

  static async open(service: Pick<Service, 'baseUrl' | 'adminKey'>): Promise<TestAccount> {
    const operator = await ApiClient.connect(service, service.adminKey);
    const { id, api_key } = expectStatus(
      201,
      await operator.post<Account>('/v1/accounts', { name: uniqueText('account') }),
    );
    return new TestAccount(id, operator.withKey(api_key));
  }

  /** Opens an account with an affiliate that can get conversions. */
  static async withAffiliate(service: Pick<Service, 'baseUrl' | 'adminKey'>): Promise<{
    readonly account: TestAccount;
    readonly api: ApiClient;
    readonly affiliate: Affiliate;
  }> {
    const account = await TestAccount.open(service);
    return { account, api: account.api, affiliate: await account.affiliate() };
  }

  /** Returns the same account at another gateway. */
  async atGateway(service: Pick<Service, 'baseUrl'>): Promise<TestAccount> {
    return new TestAccount(this.id, await ApiClient.connect(service, this.api.key));
  }

  /** Returns a client with a new key of this scope. */
  async withScope(scope: Scope): Promise<ApiClient> {
    const { api_key } = expectStatus(
      201,
      await this.api.post<ApiKey>('/v1/api-keys', { name: scope, scope }),
    );
    return this.api.withKey(api_key);
  }

  async affiliate(over: object = {}): Promise<Affiliate> {
    return expectStatus(201, await this.api.post<Affiliate>('/v1/affiliates', affiliateBody(over)));
  }

  async program(over: object = {}): Promise<Program> {
    return expectStatus(201, await this.api.post<Program>('/v1/programs', programBody(over)));
  }

  async conversion(affiliateId: string, over: object = {}): Promise<Conversion> {
    return expectStatus(
      201,
      await this.api.post<Conversion>('/v1/conversions', conversionBody(affiliateId, over)),
    );
  }

  async adjustment(affiliateId: string, over: object = {}): Promise<Adjustment> {
    return expectStatus(
      201,
      await this.api.post<Adjustment>('/v1/adjustments', adjustmentBody(affiliateId, over)),
    );
  }

  /** Pays an affiliate what is payable in US dollars, even below the minimum. */
  async payout(affiliateId: string, over: object = {}): Promise<Payout> {
    const body = { affiliate_id: affiliateId, currency: 'USD', ignore_minimum: true, ...over };
    return expectStatus(201, await this.api.post<Payout>('/v1/payouts', body));
  }

  async update<T extends PublicRecord>(record: T, change: object): Promise<T> {
    const path = `/v1/${record.object}s/${record.id}`;
    return expectStatus(200, await this.api.patch<T>(path, change));
  }

  async subscribe(
    targetUrl: string,
    events: readonly string[],
    over: object = {},
  ): Promise<Endpoint & { readonly secret: string }> {
    const endpoint = expectStatus(
      201,
      await this.api.post<Endpoint>(
        '/v1/webhooks/subscribe',
        subscriptionBody(targetUrl, events, over),
      ),
    );
    return { ...endpoint, secret: endpoint.secret ?? '' };
  }

  /** Returns all records of a collection, page by page. */
  async all<T>(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<T[]> {
    const found: T[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page<T> = expectStatus(
        200,
        await this.api.get<Page<T>>(path, {
          query: { limit: 100, ...query, ...(cursor !== '' && { cursor }) },
        }),
      );
      found.push(...page.data);
      cursor = page.next_cursor;
    }
    return found;
  }
}

/**
 * Returns the body of a response that must have this status. It is for the steps that prepare a
 * test.
 */
export const expectStatus = <T>(status: number, response: ApiResponse<T>): T => {
  if (response.status !== status)
    throw new Error(`expected ${status}, got ${response.status}: ${response.text}`);
  return response.body;
};
