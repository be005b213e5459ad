import type { Bench } from '../bench.js';
import { LoadGenerator } from '../load/load-generator.js';
import type { LoadReport, Pace } from '../load/load-plan.js';
import { Sales } from '../load/sales.js';
import type { Received } from '../receiver/receiver.process.js';
import { Receiver } from '../receiver/receiver.js';
import { apiKey } from './api.js';
import { startService } from './service.js';
import { Shop } from './shop.js';
import { Webhooks } from './webhooks.js';

/** Every write makes so many deliveries, so that what is measured is sending and not writing. */
export const endpoints = 10;

interface WebhookLoadParts {
  readonly receiver: Receiver;
  readonly load: LoadGenerator;
  readonly origin: string;
  readonly webhooks: Webhooks;
  readonly sales: Sales;
}

/** A service with a receiver, and sales that make webhooks. */
export class WebhookLoad {
  private constructor(private readonly parts: WebhookLoadParts) {}

  static async open(bench: Bench): Promise<WebhookLoad> {
    const service = bench.use(await startService(await bench.folder()));
    const receiver = bench.use(await Receiver.start());
    const webhooks = await Webhooks.subscribe(service, receiver, endpoints);
    const shop = await Shop.open(service, 20);
    return new WebhookLoad({
      receiver,
      load: bench.use(new LoadGenerator()),
      origin: service.baseUrl,
      webhooks,
      sales: new Sales(shop.affiliateIds),
    });
  }

  get receiver(): Receiver {
    return this.parts.receiver;
  }

  /** Records sales; each is delivered to all endpoints, sooner or later. */
  record(pace: Pace): Promise<LoadReport> {
    const { load, origin, sales } = this.parts;
    return load.run({ origin, key: apiKey, connections: 16, pace, requests: sales.next() });
  }

  /** Waits for the deliveries of so many sales since the receiver forgot: all of them, once. */
  delivered(sales: number): Promise<Received> {
    return this.parts.webhooks.received(sales);
  }

  /** Records so many sales as fast as can be, and answers how many deliveries a second there were until the last one had come. */
  async burst(count: number): Promise<{ readonly perSecond: number; readonly received: Received }> {
    await this.receiver.forget();
    await this.record({ kind: 'closed', count });
    const received = await this.delivered(count);
    return { perSecond: rateOf(received), received };
  }
}

/** Requests a second between the first and the last that came. */
export const rateOf = ({
  count,
  first,
  last,
}: Pick<Received, 'count' | 'first' | 'last'>): number => ((count - 1) * 1_000) / (last - first);
