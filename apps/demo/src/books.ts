import type { Change, Happening, Order } from './day.js';

export type Status = 'pending' | Change;

/** A sale as far as a sum needs it: whoever keeps a copy of the day has these. */
export interface Sale {
  readonly number: string;
  readonly status: Status;
  readonly amount: number;
  readonly currency: string;
}

/** What must be true once the day is over, by the shop's plan alone. */
export interface Books {
  readonly sales: readonly Sale[];
  /** Orders of an affiliate who was suspended before they were first sent. */
  readonly refused: readonly Order[];
  /** How many times an order was sent, all told. */
  readonly sent: number;
  /** Every event that the service must tell of, as `type subject`. */
  readonly events: ReadonlySet<string>;
}

/** Keeps the shop's books over its day. */
export const keepBooks = (
  day: readonly Happening[],
  affiliates: readonly { readonly name: string }[],
): Books => {
  const sales = new Map<string, Sale>();
  const refused = new Map<string, Order>();
  const suspended = new Set<string>();
  const events = new Set(
    affiliates.flatMap(({ name }) => [`affiliate.created ${name}`, `affiliate.approved ${name}`]),
  );
  let sent = 0;
  for (const happening of day) {
    switch (happening.kind) {
      case 'order': {
        const {
          order: { number, amount, currency, affiliate },
          order,
        } = happening;
        sent += happening.times;
        if (sales.has(number)) break;
        if (suspended.has(affiliate.name)) {
          refused.set(number, order);
        } else {
          sales.set(number, { number, status: 'pending', amount, currency });
          events.add(`conversion.created ${number}`);
        }
        break;
      }
      case 'change': {
        const sale = sales.get(happening.order.number);
        if (sale === undefined)
          throw new Error(`${happening.order.number} is changed before it is sent`);
        sales.set(sale.number, { ...sale, status: happening.to });
        events.add(`conversion.${happening.to} ${sale.number}`);
        break;
      }
      case 'suspend':
        suspended.add(happening.affiliate.name);
        events.add(`affiliate.suspended ${happening.affiliate.name}`);
        break;
      case 'receiver':
      case 'kill':
        break;
    }
  }
  return { sales: [...sales.values()], refused: [...refused.values()], sent, events };
};
