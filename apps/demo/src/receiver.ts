import { startHookReceiver, type Conversion, type Hook } from '@refledger/testing';
import type { Sale } from './books.js';
import { Inbox, type Arrival } from './inbox.js';

export interface Receiver {
  readonly url: string;
  /** Whether deliveries are answered 204 or, as by a machine that is being deployed, 503. */
  open: boolean;
  expect(secret: string): void;
  /** The sales as webhooks alone have told of them: of each the record with the highest revision. */
  sales(): readonly Sale[];
  readonly events: ReadonlySet<string>;
  readonly tally: Inbox['tally'];
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

/** A sale made a thousand times larger by somebody on the way. */
const tampered = (hook: Hook): Hook => ({
  ...hook,
  bytes: Buffer.from(
    hook.bytes.toString('utf8').replace(/"sale_amount":(\d+)/, '"sale_amount":$1000'),
  ),
});
