/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  type Conversion,
  type Delivery,
  type DeliveryWithAttempts,
  type Endpoint,
  eventually,
  expectStatus,
  type HookReceiver,
  startHookReceiver,
  TestAccount,
  uniqueText,
  type ServiceFactory,
} from '@refledger/testing';

/** An endpoint whose target is at the receiver. */
export interface HookedEndpoint {
  readonly id: string;
  readonly secret: string;
  /** Its path at the receiver. */
  readonly at: string;
}

/** An account with an affiliate, and a receiver at which the account's webhooks arrive. */
export class HookedAccount {
  protected constructor(
    readonly account: TestAccount,
    readonly affiliate: Affiliate,
    readonly receiver: HookReceiver,
  ) {}

  static async open(service: ServiceFactory): Promise<HookedAccount> {
    const { account, affiliate } = await TestAccount.withAffiliate(await service());
    return new HookedAccount(account, affiliate, await startHookReceiver());
  }

  get api(): ApiClient {
    return this.account.api;
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  /** Subscribes a new endpoint, at a path of its own. */
  async subscribe(
    events: readonly string[] = ['conversion.created'],
    over: object = {},
  ): Promise<HookedEndpoint> {
    const at = `/${uniqueText('hook')}`;
    const { id, secret } = await this.account.subscribe(this.receiver.url(at), events, over);
    return { id, secret, at };
  }

  patch(id: string, body: object): Promise<ApiResponse<Endpoint>> {
    return this.api.patch<Endpoint>(`/v1/webhooks/${id}`, body);
  }

  /** Changes an endpoint as `patch` does, and expects that the request succeeds. */
  async change(id: string, body: object): Promise<Endpoint> {
    return expectStatus(200, await this.patch(id, body));
  }

  /** Reads an endpoint with its counts, which are null while the delivery store is slow. */
  endpoint(id: string): Promise<Endpoint> {
    return eventually(async () => {
      const endpoint = expectStatus(200, await this.api.get<Endpoint>(`/v1/webhooks/${id}`));
      expect([endpoint.waiting, endpoint.held]).not.toContain(null);
      return endpoint;
    });
  }

  /** Records sales one by one. Each is an event `conversion.created`. */
  async sell(count = 1): Promise<Conversion[]> {
    const sales: Conversion[] = [];
    while (sales.length < count) sales.push(await this.account.conversion(this.affiliate.id));
    return sales;
  }

  /** All deliveries to an endpoint, oldest first. */
  deliveries(id: string, query: Readonly<Record<string, string>> = {}): Promise<Delivery[]> {
    const path = `/v1/webhooks/${id}/deliveries`;
    return this.account.all<Delivery>(path, { sort: 'created_at', ...query });
  }

  /** Resolves to an endpoint's deliveries with a status, once there are exactly `count`. */
  waitForDeliveries(id: string, status: Delivery['status'], count: number): Promise<Delivery[]> {
    return eventually(
      async () => {
        const found = await this.deliveries(id, { status });
        expect(found).toHaveLength(count);
        return found;
      },
      { timeoutMs: 30_000 },
    );
  }

  /** A delivery as it is now, with its attempts. */
  async delivery({ id, endpoint_id }: Delivery): Promise<DeliveryWithAttempts> {
    const path = `/v1/webhooks/${endpoint_id}/deliveries/${id}`;
    return expectStatus(200, await this.api.get<DeliveryWithAttempts>(path));
  }
}
