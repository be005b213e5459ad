import type { Change, DayEvent, Order } from '../day/day.js';

export type Status = 'pending' | Change;

/** The fields of a sale that the sums need. Every source of sales has them. */
export interface Sale {
  readonly number: string;
  readonly status: Status;
  readonly amount: number;
  readonly currency: string;
}

/** The expected results of the day, according to the shop's plan alone. */
export interface Books {
  readonly sales: readonly Sale[];
  /** Orders whose affiliate was suspended before they were first sent. */
  readonly refused: readonly Order[];
  /** The total number of times that orders were sent. */
  readonly sent: number;
  /** Every event that the service must send a webhook about, as `type subject`. */
  readonly events: ReadonlySet<string>;
}

/** Works out the shop's books from the plan of its day. */
export const expectedBooks = (
  day: readonly DayEvent[],
  affiliates: readonly { readonly name: string }[],
): Books => {
  const sales = new Map<string, Sale>();
  const refused = new Map<string, Order>();
  const suspended = new Set<string>();
  const events = new Set(
    affiliates.flatMap(({ name }) => [`affiliate.created ${name}`, `affiliate.approved ${name}`]),
  );
  let sent = 0;
  for (const dayEvent of day) {
    switch (dayEvent.kind) {
      case 'order': {
        const { order, times } = dayEvent;
        const { number, amount, currency, affiliate } = order;
        sent += times;
        if (sales.has(number)) break;
        if (suspended.has(affiliate.name)) refused.set(number, order);
        else {
          sales.set(number, { number, status: 'pending', amount, currency });
          events.add(`conversion.created ${number}`);
        }
        break;
      }
      case 'change': {
        const sale = sales.get(dayEvent.order.number);
        if (sale === undefined)
          throw new Error(`${dayEvent.order.number} changes before it is sent`);
        sales.set(sale.number, { ...sale, status: dayEvent.to });
        events.add(`conversion.${dayEvent.to} ${sale.number}`);
        break;
      }
      case 'suspend':
        suspended.add(dayEvent.affiliate.name);
        events.add(`affiliate.suspended ${dayEvent.affiliate.name}`);
        break;
      case 'receiver':
      case 'kill':
        break;
    }
  }
  return { sales: [...sales.values()], refused: [...refused.values()], sent, events };
};
