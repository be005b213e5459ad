import { expectedCommission } from '@refledger/testing';
import type { DayEvent, Order } from '../day/day.js';
import type { AffiliatePay, Sale, Status } from '../day/sale.js';

/** The expected results of the day, according to the shop's plan alone. */
export interface Books {
  readonly sales: readonly Sale[];
  /** The amount that each affiliate is paid, by name. */
  readonly payouts: ReadonlyMap<string, AffiliatePay>;
  /** Orders whose affiliate was suspended before they were first sent. */
  readonly refused: readonly Order[];
  /** The total number of times that orders were sent. */
  readonly sent: number;
  /** Every event that the service must send a webhook about, as `type subject`. */
  readonly events: ReadonlySet<string>;
}

/** An order that the service accepted, and its result. */
interface AcceptedOrder {
  readonly order: Order;
  readonly status: Status;
  readonly refunded: number;
}

/** Works out the shop's books from the plan of its day. */
export const expectedBooks = (
  day: readonly DayEvent[],
  affiliates: readonly { readonly name: string }[],
): Books => {
  const accepted = new Map<string, AcceptedOrder>();
  const refused = new Map<string, Order>();
  const suspended = new Set<string>();
  const events = new Set(
    affiliates.flatMap(({ name }) => [`affiliate.created ${name}`, `affiliate.approved ${name}`]),
  );
  const change = ({ number }: Order, to: Partial<AcceptedOrder>, kind: string): void => {
    const before = accepted.get(number);
    if (before === undefined) throw new Error(`${number} changes before it is sent`);
    accepted.set(number, { ...before, ...to });
    events.add(`conversion.${kind} ${number}`);
  };
  let sent = 0;
  for (const dayEvent of day) {
    switch (dayEvent.kind) {
      case 'order': {
        const { order, times } = dayEvent;
        const { number, affiliate } = order;
        sent += times;
        if (accepted.has(number)) break;
        if (suspended.has(affiliate.name)) refused.set(number, order);
        else {
          accepted.set(number, { order, status: 'pending', refunded: 0 });
          events.add(`conversion.created ${number}`);
        }
        break;
      }
      case 'change':
        change(dayEvent.order, { status: dayEvent.to }, dayEvent.to);
        break;
      case 'refund':
        change(dayEvent.order, { refunded: dayEvent.amount }, 'updated');
        break;
      case 'suspend':
        suspended.add(dayEvent.affiliate.name);
        events.add(`affiliate.suspended ${dayEvent.affiliate.name}`);
        break;
      case 'receiver':
      case 'kill':
        break;
    }
  }
  const payable = [...accepted.values()].filter(
    (sale) => !suspended.has(sale.order.affiliate.name) && saleOf(sale).earned > 0n,
  );
  const payouts = payoutsOf(payable);
  return {
    sales: [...accepted.values()].map(saleOf),
    payouts,
    refused: [...refused.values()],
    sent,
    events: new Set([...events, ...eventsOfPayouts(payable, payouts)]),
  };
};

const eventsOfPayouts = (paid: readonly AcceptedOrder[], payouts: Books['payouts']): string[] => [
  ...paid.map(({ order }) => `conversion.paid ${order.number}`),
  ...[...payouts.keys()].flatMap((name) => [`payout.created ${name}`, `payout.completed ${name}`]),
];

/** Adds up what each affiliate has earned. An affiliate sells in one currency only. */
const payoutsOf = (sales: readonly AcceptedOrder[]): ReadonlyMap<string, AffiliatePay> => {
  const payouts = new Map<string, AffiliatePay>();
  for (const sale of sales) {
    const { name } = sale.order.affiliate;
    const { currency, earned } = saleOf(sale);
    payouts.set(name, { currency, amount: (payouts.get(name)?.amount ?? 0n) + earned });
  }
  return payouts;
};

const saleOf = ({ order, status, refunded }: AcceptedOrder): Sale => {
  const { number, currency, affiliate } = order;
  const amount = BigInt(order.amount);
  const terms = affiliate.commission ?? affiliate.program.terms;
  const commission = expectedCommission({ net: amount - BigInt(refunded), currency }, terms);
  return {
    number,
    status,
    amount,
    currency,
    earned: status === 'approved' ? commission.amount : 0n,
  };
};
