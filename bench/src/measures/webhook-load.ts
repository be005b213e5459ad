import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import { machineClock } from '../load/clock.js';
import { LoadGenerator } from '../load/load-generator.js';
import type { LoadReport, LoadShape } from '../load/load-plan.js';
import { Sales } from '../load/sales.js';
import type { ReceivedWebhooks } from '../receiver/receiver.process.js';
import { Receiver } from '../receiver/receiver.js';
import { apiKey } from '../service/api.js';
import { type Service, startService } from '../service/service.js';
import { Shop } from '../service/shop.js';
import { Webhooks } from '../service/webhooks.js';

/** Deliveries per write by default: enough that sending is measured rather than writing. */
export const endpoints = 10;

export interface WebhookLoadOptions {
  /** How many endpoints receive each sale. */
  readonly endpoints?: number;
  /** After how many milliseconds they answer. */
  readonly afterMs?: number;
}

interface WebhookLoadParts {
  readonly service: Service;
  readonly receiver: Receiver;
  readonly load: LoadGenerator;
  readonly webhooks: Webhooks;
  readonly sales: Sales;
}

/** A service with a receiver, and sales that cause webhooks. */
export class WebhookLoad {
  private constructor(private readonly parts: WebhookLoadParts) {}

  static async open(bench: Bench, options: WebhookLoadOptions = {}): Promise<WebhookLoad> {
    const service = bench.use(await startService(await bench.directory()));
    const receiver = bench.use(await Receiver.start(options.afterMs));
    const webhooks = await Webhooks.subscribe(service, receiver, options.endpoints ?? endpoints);
    const shop = await Shop.open(service, 20);
    return new WebhookLoad({
      service,
      receiver,
      load: bench.use(new LoadGenerator()),
      webhooks,
      sales: new Sales(shop.affiliateIds),
    });
  }

  get receiver(): Receiver {
    return this.parts.receiver;
  }

  /** Records sales. Each is delivered to all endpoints eventually. */
  record(rate: LoadShape): Promise<LoadReport> {
    const { service, load, sales } = this.parts;
    return load.run({
      origin: service.baseUrl,
      key: apiKey,
      connections: 16,
      rate,
      requests: sales.next(),
    });
  }

  /**
   * Waits until each of these sales has been delivered to every endpoint, once, since the receiver
   * was last reset.
   */
  delivered(sales: number): Promise<ReceivedWebhooks> {
    return this.parts.webhooks.received(sales);
  }

  /**
   * Records `count` sales as fast as possible. Resolves to the deliveries per second, from the
   * first that arrived until the outcomes of all are recorded.
   */
  async burst(
    count: number,
  ): Promise<{ readonly perSecond: number; readonly received: ReceivedWebhooks }> {
    const { service } = this.parts;
    const before = await service.recordedAttempts();
    await this.receiver.forget();
    await this.record({ kind: 'closed', count });
    const received = await this.delivered(count);
    while ((await service.recordedAttempts()) < before + received.count) await sleep(10);
    return { perSecond: rateOf({ ...received, last: machineClock.now() }), received };
  }
}

/** Requests per second between the first and the last that arrived. */
export const rateOf = ({
  count,
  first,
  last,
}: Pick<ReceivedWebhooks, 'count' | 'first' | 'last'>): number =>
  ((count - 1) * 1_000) / (last - first);
