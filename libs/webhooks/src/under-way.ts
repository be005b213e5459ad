import type { EndpointId } from '@refledger/contracts';
import type { Clock } from './clock.js';
import type { Attempted, AttemptSender } from './attempt-sender.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { Lanes } from './lanes.js';
import type { Leases } from './leases.js';
import type { OutcomeWriter } from './outcome-writer.js';
import { paces } from './paces.js';

export interface UnderWayOptions {
  readonly lanes: Pick<Lanes, 'begin' | 'age' | 'nextAge'>;
  readonly leases: Pick<Leases, 'hold' | 'letGo'>;
  readonly clock: Clock;
  readonly attempts: Pick<AttemptSender, 'send'>;
  readonly outcomes: Pick<OutcomeWriter, 'add'>;
  /** Hears of each attempt once its outcome is durable. */
  readonly onAttempted: (delivery: ClaimedDelivery, attempted: Attempted) => void;
  /** A request has ended, and its slot is free. */
  readonly onSlotFree: (endpoint: EndpointId) => void;
  /** An endpoint has turned slow, since a request of it has hung for so long. */
  readonly onSlowed: (endpoint: EndpointId) => void;
  /** A delivery becomes due again at this instant. */
  readonly onDueAgain: (dueAt: string) => void;
}

/** Deliveries that are being sent: each from its request, on the slot that was taken for it, until its outcome is durable. */
export class UnderWay {
  private watching = false;

  constructor(private readonly options: UnderWayOptions) {}

  /** Sends a delivery that has its slot and is written as started. */
  send(delivery: ClaimedDelivery): void {
    this.options.leases.hold(delivery.id);
    void this.carry(delivery);
  }

  private async carry(delivery: ClaimedDelivery): Promise<void> {
    const { endpointId: endpoint, id } = delivery;
    const { lanes, leases, clock, attempts, outcomes, onAttempted, onSlotFree, onDueAgain } =
      this.options;
    const end = lanes.begin(endpoint, clock.now());
    this.watch();
    const attempted = await attempts.send(delivery);
    end(clock.now(), attempted.sent && attempted.sent.kind === 'answered');
    const written = outcomes.add(attempted.result);
    onSlotFree(endpoint);
    await written;
    onAttempted(delivery, attempted);
    const { next } = attempted.result;
    if (next.status === 'due') onDueAgain(next.dueAt);
    leases.letGo(id);
  }

  /** One timer for all requests, for as long as there are any: those whose requests hang are slow while they hang. */
  private watch(): void {
    const { lanes, clock, onSlowed } = this.options;
    const next = lanes.nextAge(clock.now());
    if (this.watching || next === undefined) return;
    this.watching = true;
    // also when a clock was put back, which makes `next` far away
    clock.after(Math.min(next, paces[0].underMs), () => {
      this.watching = false;
      for (const endpoint of lanes.age(clock.now())) onSlowed(endpoint);
      this.watch();
    });
  }
}
