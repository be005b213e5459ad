import { signatureFaults, type Affiliate, type Conversion, type Hook } from '@refledger/testing';

/** A delivery that arrived, with the result of its verification. */
export interface Arrival {
  /** The event's type and subject: `conversion.created order-1001`. */
  readonly event: string;
  readonly valid: boolean;
  readonly at: number;
}

/**
 * The shop's record of the webhooks it accepted: verified, deduplicated by `webhook-id`, and as a
 * copy of the sales.
 */
export class Inbox {
  readonly events = new Set<string>();
  readonly tally = {
    arrived: 0,
    valid: 0,
    /** Deliveries with a `webhook-id` that had come before. */
    repeated: 0,
    /** Of the repeated deliveries, those with other bytes than before. */
    changed: 0,
    /** Deliveries answered with 503 while the receiver was closed. */
    turnedAway: 0,
  };
  private readonly seen = new Map<string, Buffer>();
  private readonly copy = new Map<string, Conversion>();

  /** The record of each sale with the highest revision. */
  sales(): readonly Conversion[] {
    return [...this.copy.values()];
  }

  /** Verifies a delivery, and keeps its contents only if its signature is valid. */
  take(hook: Hook, secret: string): Arrival {
    const { type, data } = hook.envelope;
    const event = `${type} ${subjectOf(data)}`;
    const valid = signatureFaults(hook, secret).length === 0;
    this.tally.arrived++;
    if (valid) {
      this.tally.valid++;
      this.events.add(event);
      this.dedupe(hook);
      this.keep(data);
    }
    return { event, valid, at: hook.at };
  }

  private dedupe({ envelope: { id }, bytes }: Hook): void {
    const before = this.seen.get(id);
    if (before !== undefined) this.tally.repeated++;
    if (before?.equals(bytes) === false) this.tally.changed++;
    this.seen.set(id, bytes);
  }

  private keep(data: Conversion | Affiliate): void {
    if (data.object === 'conversion' && (this.copy.get(data.id)?.revision ?? -1) < data.revision)
      this.copy.set(data.id, data);
  }
}

const subjectOf = (data: Conversion | Affiliate): string =>
  data.object === 'conversion' ? (data.external_transaction_id ?? data.id) : data.name;
