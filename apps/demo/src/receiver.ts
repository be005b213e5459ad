import { startHookReceiver, type Conversion, type Hook } from '@refledger/testing';
import type { Sale } from './books.js';
import { Inbox, type Arrival } from './inbox.js';

export interface Receiver {
  readonly url: string;
  /** While false, deliveries are answered with 503, as by a machine that is being deployed. */
  open: boolean;
  expect(secret: string): void;
  /**
   * The sales according to the webhooks alone: the record of each sale with the highest revision.
   */
  sales(): readonly Sale[];
  readonly events: ReadonlySet<string>;
  readonly tally: Inbox['tally'];
  close(): Promise<void>;
}

/**
 * The shop's webhook receiver. It verifies deliveries, deduplicates them by `webhook-id` and keeps
 * its own copy of the sales. With `tamper`, one delivery is changed in transit.
 */
export const openReceiver = async ({
  tamper,
  onArrival,
}: {
  readonly tamper: boolean;
  readonly onArrival: (arrival: Arrival) => void;
}): Promise<Receiver> => {
  const hooks = await startHookReceiver();
  const inbox = new Inbox();
  let secret = '';
  let toTamper = tamper;

  const receive = (sent: Hook): number => {
    if (!receiver.open) {
      inbox.tally.turnedAway++;
      return 503;
    }
    const hook = toTamper && sent.envelope.type === 'conversion.created' ? tampered(sent) : sent;
    if (hook !== sent) toTamper = false;
    const arrival = inbox.take(hook, secret);
    onArrival(arrival);
    return arrival.valid ? 204 : 401;
  };
  hooks.script(path, (hook) => ({ status: receive(hook) }));

  const receiver: Receiver = {
    url: hooks.url(path),
    open: true,
    events: inbox.events,
    tally: inbox.tally,
    expect: (shown) => void (secret = shown),
    sales: () => inbox.sales().map(saleOf),
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

/** Multiplies a sale by a thousand, as an attacker in transit might. */
const tampered = (hook: Hook): Hook => ({
  ...hook,
  bytes: Buffer.from(
    hook.bytes.toString('utf8').replace(/"sale_amount":(\d+)/, '"sale_amount":$1000'),
  ),
});
