import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../process/child.js';
import type { Received, ReceiverQuestion } from './receiver.process.js';

/** After this long without any webhook, the missing ones count as lost. */
const patienceMs = 30_000;

/** A receiver of webhooks in its own process. */
export class Receiver {
  private constructor(
    private readonly child: Child<ReceiverQuestion, Received>,
    readonly origin: string,
  ) {}

  static async start(): Promise<Receiver> {
    const child = Child.start<ReceiverQuestion, Received>(
      new URL('./receiver.process.js', import.meta.url),
    );
    const { port } = await child.ask({ ask: 'start' });
    return new Receiver(child, `http://127.0.0.1:${port}`);
  }

  received(): Promise<Received> {
    return this.child.ask({ ask: 'received' });
  }

  forget(): Promise<Received> {
    return this.child.ask({ ask: 'forget' });
  }

  /**
   * Waits for `wanted` webhooks; the result has when each came. Throws when any is lost or came
   * twice.
   */
  async all(wanted: number): Promise<Received> {
    for (
      let now = await this.received(), since = Date.now(), before = now.distinct;
      now.distinct < wanted;
      now = await this.received()
    ) {
      if (now.distinct > before) [before, since] = [now.distinct, Date.now()];
      if (Date.now() - since > patienceMs)
        throw new Error(
          `${wanted} webhooks were due, ${now.distinct} have come, and none since ${patienceMs / 1_000} s`,
        );
      await sleep(50);
    }
    const all = await this.child.ask({ ask: 'arrivals' });
    if (all.count !== wanted)
      throw new Error(
        `${wanted} webhooks were due, ${all.count} have come, ${all.count - all.distinct} of them again`,
      );
    return all;
  }

  close(): Promise<void> {
    return this.child.close();
  }
}
