import {
  signatureFaults,
  startHookReceiver,
  type Conversion,
  type Envelope,
  type Hook,
  type Payout,
} from '@refledger/testing';
import type { AffiliatePay, Sale } from '../day/sale.js';

/** A delivery that arrived, with the result of its verification. */
export interface Arrival {
  /** The event's type and subject: `conversion.created order-1001`. */
  readonly event: string;
  readonly valid: boolean;
  readonly at: number;
}

/** The shop's webhook receiver, and what it has received. */
export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/**
 * The shop's webhook receiver. It verifies deliveries, deduplicates them by `webhook-id` and keeps
 * its own copy of the sales. With `tamper`, one delivery is changed in transit.
 */
export const openReceiver = async (tamper: boolean, onArrival: (arrival: Arrival) => void) => {
  const hooks = await startHookReceiver();
  const inbox = new Inbox();
  let secret = '';
  let toTamper = tamper;

  const receive = (sent: Hook): number => {
    if (!receiver.open) {
      inbox.tally.rejected++;
      return 503;
    }
    const hook = toTamper && sent.envelope.type === 'conversion.created' ? tampered(sent) : sent;
    if (hook !== sent) toTamper = false;
    const arrival = inbox.receive(hook, secret);
    onArrival(arrival);
    return arrival.valid ? 204 : 401;
  };
  hooks.script(path, (hook) => ({ status: receive(hook) }));

  const receiver = {
    url: hooks.url(path),
    /** While false, deliveries are rejected with 503, as during a deployment of the receiver. */
    open: true,
    events: inbox.events,
    tally: inbox.tally,
    expect: (shown: string) => void (secret = shown),
    /** The sales according to the webhooks alone: the latest state of each sale's record. */
    sales: (): readonly Sale[] => inbox.sales().map(saleOf),
    /** The amounts paid, according to the webhooks alone. */
    paid: (): readonly AffiliatePay[] => inbox.paid(),
    close: () => hooks.close(),
  };
  return receiver;
};

export const saleOf = ({
  external_transaction_id,
  status,
  sale_amount,
  sale_currency,
  commission_amount,
}: Conversion): Sale => ({
  number: external_transaction_id ?? '',
  status,
  amount: BigInt(sale_amount),
  currency: sale_currency,
  earned: status === 'approved' ? BigInt(commission_amount) : 0n,
});

const path = '/webhooks';

/** Multiplies a sale by a thousand, as an attacker could do in transit. */
const tampered = (hook: Hook): Hook => ({
  ...hook,
  bytes: Buffer.from(
    hook.bytes.toString('utf8').replace(/"sale_amount":(\d+)/, '"sale_amount":$1000'),
  ),
});

interface SaleEvent {
  readonly timestamp: string;
  readonly data: Conversion;
}

/** The order of one record's events. A restored backup may use revisions again, but not times. */
const isLater = (one: SaleEvent, other: SaleEvent): boolean =>
  one.timestamp === other.timestamp
    ? one.data.revision > other.data.revision
    : one.timestamp > other.timestamp;

/**
 * The shop's record of the webhooks it accepted. It verifies them, deduplicates them by
 * `webhook-id` and keeps a copy of the sales.
 */
class Inbox {
  readonly events = new Set<string>();
  readonly tally = {
    arrived: 0,
    valid: 0,
    /** Deliveries with a `webhook-id` that had arrived before. */
    repeated: 0,
    /** Of the repeated deliveries, those with different bytes. */
    changed: 0,
    /** Deliveries rejected with 503 while the receiver was closed. */
    rejected: 0,
  };
  private readonly seen = new Map<string, Buffer>();
  /** The latest event of each sale. */
  private readonly copy = new Map<string, SaleEvent>();
  private readonly affiliates = new Map<string, string>();
  /** The payouts that `payout.created` and `payout.completed` have named. */
  private readonly created = new Map<string, Payout>();
  private readonly completed = new Map<string, Payout>();

  /** The latest state of each sale's record. */
  sales(): readonly Conversion[] {
    return [...this.copy.values()].map(({ data }) => data);
  }

  /** The payouts whose amount on completion equals their amount on creation. */
  paid(): readonly AffiliatePay[] {
    return [...this.completed.values()]
      .filter(({ id, amount }) => this.created.get(id)?.amount === amount)
      .map(({ currency, amount }) => ({ currency, amount: BigInt(amount) }));
  }

  /** Verifies a delivery, and keeps its contents only if its signature is valid. */
  receive(hook: Hook, secret: string): Arrival {
    const { type, data } = hook.envelope;
    const event = `${type} ${this.subjectOf(data)}`;
    const valid = signatureFaults(hook, secret).length === 0;
    this.tally.arrived++;
    if (valid) {
      this.tally.valid++;
      this.events.add(event);
      this.dedupe(hook);
      this.keep(hook.envelope);
    }
    return { event, valid, at: hook.at };
  }

  private dedupe({ envelope: { id }, bytes }: Hook): void {
    const before = this.seen.get(id);
    if (before !== undefined) this.tally.repeated++;
    if (before?.equals(bytes) === false) this.tally.changed++;
    this.seen.set(id, bytes);
  }

  private keep({ type, data, timestamp }: Envelope): void {
    if (data.object === 'affiliate') this.affiliates.set(data.id, data.name);
    if (data.object === 'payout')
      (type === 'payout.created' ? this.created : this.completed).set(data.id, data);
    if (data.object !== 'conversion') return;
    const event = { timestamp, data };
    const known = this.copy.get(data.id);
    if (known === undefined || isLater(event, known)) this.copy.set(data.id, event);
  }

  private subjectOf(data: Envelope['data']): string {
    switch (data.object) {
      case 'conversion':
        return data.external_transaction_id ?? data.id;
      case 'adjustment':
        return data.description;
      case 'payout':
        return this.affiliates.get(data.affiliate_id) ?? data.affiliate_id;
      case 'affiliate':
      case 'program':
        return data.name;
    }
  }
}
