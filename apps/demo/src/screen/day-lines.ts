import type { Payout } from '@refledger/testing';
import { closes, type DayEvent, type Minute, type Order } from '../day/day.js';
import { money } from './money.js';
import type { ApiResponse } from '../service/shop.js';
import type { Line } from './screen-state.js';

/** The parts of a line that are known before its request is answered. */
export type LineStart = Pick<Line, 'id' | 'at' | 'subject' | 'who' | 'amount'>;
/** The parts of a line that are known once its request is answered. */
export type Outcome = Pick<Line, 'response' | 'tone' | 'delivery'>;

/** The line of an order before its request is answered. */
export const orderLine = (
  id: number,
  at: Minute,
  { number, affiliate, amount, currency }: Order,
): LineStart => ({
  id,
  at,
  subject: number,
  who: affiliate.name,
  amount: money(BigInt(amount), currency),
});

/** The responses to an order that was sent once, or several times at the same time. */
export const orderOutcome = (responses: readonly ApiResponse[], repeated: boolean): Outcome => {
  const several = responses.length > 1 ? howOften(responses) : undefined;
  if (responses.every(({ status }) => status === 422))
    return { response: several ?? '422 suspended', tone: 'warn', delivery: 'none' };
  if (repeated)
    return { response: several ?? '200 the same sale', tone: 'quiet', delivery: 'none' };
  return {
    response: several ?? `${responses[0]?.status} stored`,
    tone: 'good',
    delivery: 'awaited',
  };
};

/** A change to an order that was sent before. */
type OrderChange = Extract<DayEvent, { kind: 'change' | 'refund' }>;

/** The line of a change before its request is answered. A partial refund has its own amount. */
export const changeLine = (id: number, change: OrderChange): LineStart => {
  const line = orderLine(id, change.at, change.order);
  return change.kind === 'change'
    ? line
    : { ...line, amount: money(-BigInt(change.amount), change.order.currency) };
};

/** The response to a change. */
export const changeOutcome = (status: number, change: OrderChange): Outcome => {
  const to = change.kind === 'change' ? change.to : 'part refunded';
  return {
    response: `${status} ${to}`,
    tone: to === 'approved' ? 'quiet' : 'warn',
    delivery: 'awaited',
  };
};

/** The line of a payout, made when the shop closes. */
export const payoutLine = (
  id: number,
  who: string,
  { amount, currency }: Pick<Payout, 'amount' | 'currency'>,
): LineStart => ({
  id,
  at: closes,
  subject: 'payout',
  who,
  amount: money(BigInt(amount), currency),
});

/** A line with a note in place of a request's columns. */
export const noteLine = (line: Required<Pick<Line, 'id' | 'at' | 'note' | 'tone'>>): Line => ({
  ...line,
  subject: '',
  who: '',
  amount: '',
  response: '',
  delivery: 'none',
});

const howOften = (responses: readonly ApiResponse[]): string => {
  const times = new Map<number, number>();
  for (const { status } of responses) times.set(status, (times.get(status) ?? 0) + 1);
  return [...times]
    .sort(([a], [b]) => b - a)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');
};
