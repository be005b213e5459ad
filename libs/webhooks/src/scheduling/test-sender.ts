import type { EndpointId } from '@refledger/contracts';
import type { AttemptSender } from '../sending/attempt-sender.js';
import type { ClaimedDelivery } from '@refledger/delivery-store';
import type { Claims } from './claims.js';
import type { OutcomeWriter } from './outcome-writer.js';

export interface TestSenderOptions {
  readonly claims: Pick<Claims, 'claimTests' | 'end'>;
  readonly attempts: Pick<AttemptSender, 'send'>;
  readonly outcomes: Pick<OutcomeWriter, 'record'>;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Sends tests, in any state of their endpoint. Somebody waits for each, so they take no slot and no
 * token from deliveries, and go to a bounded number of endpoints at a time.
 */
export class TestSender {
  private readonly waiting = new Set<EndpointId>();
  private busy = 0;

  constructor(private readonly options: TestSenderOptions) {}

  /** Sends the tests of these endpoints, if they have any. */
  send(endpoints: Iterable<EndpointId>): void {
    for (const endpoint of endpoints) this.waiting.add(endpoint);
    this.next();
  }

  /** Begins no more tests. */
  halt(): void {
    this.waiting.clear();
  }

  private next(): void {
    for (const endpoint of this.waiting) {
      if (this.busy >= maxEndpoints) return;
      this.waiting.delete(endpoint);
      this.busy++;
      void this.sendTo(endpoint).then(() => {
        this.busy--;
        this.next();
      });
    }
  }

  /** Never rejects. */
  private async sendTo(endpoint: EndpointId): Promise<void> {
    const { claims, logRetry } = this.options;
    try {
      const tests = await claims.claimTests(endpoint);
      await Promise.all(tests.map((test) => this.attempt(test)));
    } catch (error) {
      logRetry('claiming tests', error);
    }
  }

  private async attempt(test: ClaimedDelivery): Promise<void> {
    const { claims, attempts, outcomes } = this.options;
    await outcomes.record(test, await attempts.send(test));
    claims.end(test.id);
  }
}

const maxEndpoints = 64;
