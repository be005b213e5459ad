import type { Minute, Order } from './day.js';
import { money } from './money.js';
import type { Answer } from './shop.js';
import type { Line } from './story.js';

/** The parts of a line that are known before its request is answered. */
export type Begun = Pick<Line, 'id' | 'at' | 'subject' | 'who' | 'amount'>;
/** The parts of a line that are known once its request is answered. */
export type Answered = Pick<Line, 'answer' | 'tone' | 'delivery'>;

/** The line of an order before its request is answered. */
export const orderLine = (
  id: number,
  at: Minute,
  { number, affiliate, amount, currency }: Order,
): Begun => ({ id, at, subject: number, who: affiliate.name, amount: money(amount, currency) });

/** The answers to an order that was sent once, or several times at once. */
export const answeredOrder = (answers: readonly Answer[], repeated: boolean): Answered => {
  const several = answers.length > 1 ? howOften(answers) : undefined;
  if (answers.every(({ status }) => status === 422))
    return { answer: several ?? '422 suspended', tone: 'warn', delivery: 'none' };
  if (repeated) return { answer: several ?? '200 the same sale', tone: 'quiet', delivery: 'none' };
  return {
    answer: several ?? `${answers[0]?.status} stored`,
    tone: 'good',
    delivery: 'awaited',
  };
};

/** A line with a note in place of a request's columns. */
export const noteLine = ({
  id,
  at,
  note,
  tone,
}: Required<Pick<Line, 'id' | 'at' | 'note' | 'tone'>>): Line => ({
  id,
  at,
  subject: '',
  who: '',
  amount: '',
  answer: '',
  note,
  tone,
  delivery: 'none',
});

const howOften = (answers: readonly Answer[]): string => {
  const times = new Map<number, number>();
  for (const { status } of answers) times.set(status, (times.get(status) ?? 0) + 1);
  return [...times]
    .sort(([a], [b]) => b - a)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');
};
