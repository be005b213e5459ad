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
  type MovableClock,
  startHookReceiver,
  TestAccount,
  uniqueText,
  type ServiceFactory,
} from '@refledger/testing';
import { passToRetry } from './pass-to-retry.js';

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
    /** The service's, and the receiver's. */
    readonly clock: MovableClock,
  ) {}

  static async open(service: ServiceFactory, clock: MovableClock): Promise<HookedAccount> {
    const { account, affiliate } = await TestAccount.withAffiliate(await service());
    const receiver = await startHookReceiver({ now: clock.now });
    return new HookedAccount(account, affiliate, receiver, clock);
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

  /** All deliveries to an endpoint, which may have been deleted, oldest first. */
  deliveries(id: string, query: Readonly<Record<string, string>> = {}): Promise<Delivery[]> {
    const filters = { endpoint_id: id, sort: 'created_at', ...query };
    return this.account.all<Delivery>('/v1/deliveries', filters);
  }

  /** Resolves to an endpoint's deliveries with a status, once there are exactly `count`. */
  waitForDeliveries(id: string, status: Delivery['status'], count: number): Promise<Delivery[]> {
    return eventually(() => this.expectDeliveries(id, status, count), { timeoutMs: 30_000 });
  }

  /** Waits as `waitForDeliveries` does, while time passes from retry to retry. */
  retryUntil(id: string, status: Delivery['status'], count = 1): Promise<Delivery[]> {
    return this.whileRetrying(id, () => this.expectDeliveries(id, status, count));
  }

  /** Resolves to the deliveries of an endpoint, once each of `count` waits for its first retry. */
  waitForFirstRetry(id: string, count = 1): Promise<Delivery[]> {
    return eventually(async () => {
      const found = await this.deliveries(id);
      expect(found.map((one) => [one.status, one.attempt_count])).toEqual(
        Array(count).fill(['waiting', 1]),
      );
      return found;
    });
  }

  /**
   * Waits until a probe no longer throws. Time passes until the next retry meanwhile, whenever all
   * unfinished deliveries of the endpoint wait for one.
   */
  whileRetrying<T>(id: string, probe: () => Promise<T>): Promise<T> {
    return eventually(
      async () => {
        try {
          return await probe();
        } catch (error) {
          await passToRetry(this.account, id, this.clock);
          throw error;
        }
      },
      { timeoutMs: 30_000 },
    );
  }

  private async expectDeliveries(
    id: string,
    status: Delivery['status'],
    count: number,
  ): Promise<Delivery[]> {
    const found = await this.deliveries(id, { status });
    expect(found).toHaveLength(count);
    return found;
  }

  /** A delivery as it is now, with its attempts. */
  async delivery({ id, endpoint_id }: Delivery): Promise<DeliveryWithAttempts> {
    const path = `/v1/webhooks/${endpoint_id}/deliveries/${id}`;
    return expectStatus(200, await this.api.get<DeliveryWithAttempts>(path));
  }
}
