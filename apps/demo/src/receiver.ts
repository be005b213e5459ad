import {
  signatureFaults,
  startHookReceiver,
  type Affiliate,
  type Conversion,
  type Hook,
} from '@refledger/testing';
import type { Sale } from './books.js';

/** A delivery that arrived, checked. */
export interface Arrival {
  /** `conversion.created order-1001` */
  readonly event: string;
  readonly valid: boolean;
  readonly at: number;
}

export interface Receiver {
  readonly url: string;
  /** Whether deliveries are answered 204 or, as by a machine that is being deployed, 503. */
  open: boolean;
  expect(secret: string): void;
  /** The sales as webhooks alone have told of them: of each the record with the highest revision. */
  sales(): readonly Sale[];
  readonly events: ReadonlySet<string>;
  readonly tally: {
    arrived: number;
    valid: number;
    /** Came with a `webhook-id` that had come before, and of these with other bytes. */
    repeated: number;
    changed: number;
    /** Answered 503 while the receiver was closed. */
    turnedAway: number;
  };
  close(): Promise<void>;
}

/** The shop's receiver of webhooks: verifies, dedupes by `webhook-id` and keeps a copy of its own. With `tamper` one delivery is changed on its way. */
export const openReceiver = async ({
  tamper,
  onArrival,
}: {
  readonly tamper: boolean;
  readonly onArrival: (arrival: Arrival) => void;
}): Promise<Receiver> => {
  const hooks = await startHookReceiver();
  const seen = new Map<string, Buffer>();
  const copy = new Map<string, Conversion>();
  const events = new Set<string>();
  const tally = { arrived: 0, valid: 0, repeated: 0, turnedAway: 0, changed: 0 };
  let secret = '';
  let toTamper = tamper;

  const receive = (sent: Hook): number => {
    if (!receiver.open) {
      tally.turnedAway++;
      return 503;
    }
    const hook = toTamper && sent.envelope.type === 'conversion.created' ? tampered(sent) : sent;
    if (hook !== sent) toTamper = false;
    const valid = signatureFaults(hook, secret).length === 0;
    const { id, type, data } = hook.envelope;
    const before = seen.get(id);
    const event = `${type} ${subjectOf(data)}`;
    tally.arrived++;
    if (valid) {
      tally.valid++;
      if (before !== undefined) tally.repeated++;
      if (before?.equals(hook.bytes) === false) tally.changed++;
      seen.set(id, hook.bytes);
      events.add(event);
      if (data.object === 'conversion' && (copy.get(data.id)?.revision ?? -1) < data.revision)
        copy.set(data.id, data);
    }
    onArrival({ event, valid, at: hook.at });
    return valid ? 204 : 401;
  };
  hooks.script(path, (hook) => ({ status: receive(hook) }));

  const receiver: Receiver = {
    url: hooks.url(path),
    open: true,
    events,
    tally,
    expect: (shown) => void (secret = shown),
    sales: () => [...copy.values()].map(saleOf),
    close: () => hooks.close(),
  };
  return receiver;
};

export const saleOf = ({
  external_transaction_id,
  status,
  sale_amount,
  sale_currency,
}: Conversion): Sale => ({
  number: external_transaction_id ?? '',
  status,
  amount: sale_amount,
  currency: sale_currency,
});

const path = '/webhooks';

const subjectOf = (data: Conversion | Affiliate): string =>
  data.object === 'conversion' ? (data.external_transaction_id ?? data.id) : data.name;

/** A sale made a thousand times larger by somebody on the way. */
const tampered = (hook: Hook): Hook => ({
  ...hook,
  bytes: Buffer.from(
    hook.bytes.toString('utf8').replace(/"sale_amount":(\d+)/, '"sale_amount":$1000'),
  ),
});
