import { signatureFaults, type Affiliate, type Conversion, type Hook } from '@refledger/testing';

/** A delivery that arrived, checked. */
export interface Arrival {
  /** `conversion.created order-1001` */
  readonly event: string;
  readonly valid: boolean;
  readonly at: number;
}

/** What the shop has of the webhooks that it took: verified, deduplicated by `webhook-id`, and as a copy of the sales. */
export class Inbox {
  readonly events = new Set<string>();
  readonly tally = {
    arrived: 0,
    valid: 0,
    /** Came with a `webhook-id` that had come before, and of these with other bytes. */
    repeated: 0,
    changed: 0,
    /** Answered 503 while the receiver was closed. */
    turnedAway: 0,
  };
  private readonly seen = new Map<string, Buffer>();
  private readonly copy = new Map<string, Conversion>();

  /** Of each sale the record with the highest revision. */
  sales(): readonly Conversion[] {
    return [...this.copy.values()];
  }

  /** Verifies a delivery, and keeps what it tells of only if its signature is right. */
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
