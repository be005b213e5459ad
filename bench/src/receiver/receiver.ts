import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../process/child.js';
import type { ReceivedWebhooks, ReceiverQuestion } from './receiver.process.js';

/** After this long without any webhook, the missing ones count as lost. */
const timeoutMs = 30_000;

/** A receiver of webhooks in its own process. */
export class Receiver {
  private constructor(
    private readonly child: Child<ReceiverQuestion, ReceivedWebhooks>,
    readonly origin: string,
  ) {}

  /** Starts one that answers each webhook after this many milliseconds, or never. */
  static async start(afterMs: number | 'never' = 0): Promise<Receiver> {
    const child = Child.start<ReceiverQuestion, ReceivedWebhooks>(
      new URL('./receiver.process.js', import.meta.url),
    );
    const { port } = await child.request({ type: 'start', afterMs });
    return new Receiver(child, `http://127.0.0.1:${port}`);
  }

  received(): Promise<ReceivedWebhooks> {
    return this.child.request({ type: 'received' });
  }

  forget(): Promise<ReceivedWebhooks> {
    return this.child.request({ type: 'forget' });
  }

  /**
   * Waits for `wanted` webhooks; the result says when each arrived. Throws when any is lost or
   * arrives twice.
   */
  async all(wanted: number): Promise<ReceivedWebhooks> {
    for (
      let now = await this.received(), since = Date.now(), before = now.distinct;
      now.distinct < wanted;
      now = await this.received()
    ) {
      if (now.distinct > before) [before, since] = [now.distinct, Date.now()];
      if (Date.now() - since > timeoutMs)
        throw new Error(
          `expected ${wanted} webhooks, but ${now.distinct} arrived, and none in the last ${timeoutMs / 1_000} s`,
        );
      await sleep(50);
    }
    const all = await this.child.request({ type: 'arrivals' });
    if (all.count !== wanted)
      throw new Error(
        `expected ${wanted} webhooks, but ${all.count} arrived, ${all.count - all.distinct} of them repeated`,
      );
    return all;
  }

  /** Waits for the webhooks of these conversions; resolves to when each arrived. */
  async arrivalsOf(conversions: readonly string[]): Promise<ReadonlyMap<string, number>> {
    for (const deadline = Date.now() + timeoutMs; ; await sleep(50)) {
      const { arrivals } = await this.child.request({ type: 'arrivals' });
      const missing = conversions.filter((id) => !arrivals.has(id)).length;
      if (missing === 0) return arrivals;
      if (Date.now() > deadline)
        throw new Error(`the webhooks of ${missing} conversions have not arrived`);
    }
  }

  close(): Promise<void> {
    return this.child.close();
  }
}
