import {
  type Delivery,
  type DeliveryWithAttempts,
  type Endpoint,
  expectStatus,
  type HookReceiver,
  startHookReceiver,
  waitFor,
} from '@refledger/testing';
import type { OwingAccount } from '../black-box/payouts/owing-account.js';

/**
 * Endpoints of an account for every event. Each receiver returns what it got in its response: one
 * accepts it, one always fails, and one is paused at first.
 */
export class EchoingHooks {
  private constructor(
    private readonly owing: OwingAccount,
    private readonly receiver: HookReceiver,
    private readonly endpoints: Readonly<Record<'accepting' | 'failing' | 'paused', Endpoint>>,
  ) {}

  static async subscribe(owing: OwingAccount): Promise<EchoingHooks> {
    const receiver = await startHookReceiver();
    const subscribe = (path: string, status: number): Promise<Endpoint> => {
      receiver.script(path, ({ bytes, envelope: { data } }) => ({
        status,
        headers: { 'x-echo': encodeURIComponent(JSON.stringify(data)).slice(0, 2_000) },
        body: bytes,
      }));
      return owing.account.subscribe(receiver.url(path), ['*']);
    };
    const endpoints = {
      accepting: await subscribe('/accepting', 200),
      failing: await subscribe('/failing', 500),
      paused: await subscribe('/paused', 200),
    };
    const hooks = new EchoingHooks(owing, receiver, endpoints);
    await hooks.set('paused');
    return hooks;
  }

  /** Lets the held deliveries be sent, with the bodies that are then made. */
  async resume(): Promise<void> {
    await this.set('enabled');
    await waitFor(async () => (await this.deliveries('paused', 'held')).length === 0);
  }

  /** Waits until everything was sent, and reads the latest deliveries one by one. */
  async readAll(): Promise<void> {
    for (const name of ['accepting', 'failing'] as const) {
      const sent = await this.sent(name);
      await Promise.all(sent.slice(0, 100).map((delivery) => this.expectEcho(name, delivery)));
    }
  }

  /** Waits until everything was sent. */
  async waitUntilSent(): Promise<void> {
    for (const name of ['accepting', 'failing'] as const) await this.sent(name);
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  private async set(status: 'enabled' | 'paused'): Promise<void> {
    const path = `/v1/webhooks/${this.endpoints.paused.id}`;
    expectStatus(200, await this.owing.api.patch(path, { status }));
  }

  /** All deliveries to an endpoint, once each was sent. */
  private sent(to: 'accepting' | 'failing'): Promise<Delivery[]> {
    const status = to === 'accepting' ? 'succeeded' : 'waiting';
    return waitFor(async () => {
      const unsent = await this.deliveries(to, 'sending');
      const all = await this.deliveries(to, status);
      return unsent.length === 0 && all.length > 0 && all.every(wasSent) && all;
    });
  }

  private deliveries(of: keyof EchoingHooks['endpoints'], status: string): Promise<Delivery[]> {
    const path = `/v1/webhooks/${this.endpoints[of].id}/deliveries`;
    return this.owing.account.all<Delivery>(path, { status });
  }

  /** Expects that a delivery shows its body, and the same in the response to it. */
  private async expectEcho(of: keyof EchoingHooks['endpoints'], { id }: Delivery): Promise<void> {
    const path = `/v1/webhooks/${this.endpoints[of].id}/deliveries/${id}`;
    const { body, attempts } = expectStatus(
      200,
      await this.owing.api.get<DeliveryWithAttempts>(path),
    );
    const echoed = attempts.at(-1)?.response_body ?? '';
    if (echoed === '' || body?.startsWith(echoed) !== true)
      throw new Error(`${id} shows ${JSON.stringify({ body, attempts })}`);
  }
}

const wasSent = ({ attempt_count }: Delivery): boolean => attempt_count > 0;
