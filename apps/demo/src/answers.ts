import type { Conversion } from '@refledger/testing';
import type { Order } from './day.js';
import type { Answer } from './shop.js';

/** What the shop was answered. */
export interface Answers {
  /** The conversions that answers named, by order: one answer each time it was sent. */
  readonly accepted: Map<string, string[]>;
  /** How often an order was refused because its affiliate is not active. */
  readonly refused: Map<string, number>;
  readonly unexpected: string[];
}

/** Adds the answer to an order. */
export const addAnswer = (
  { accepted, refused, unexpected }: Answers,
  { number }: Order,
  { status, body }: Answer,
): void => {
  if (status === 201 || status === 200)
    accepted.set(number, [...(accepted.get(number) ?? []), (body as Conversion).id]);
  else if (status === 422) refused.set(number, (refused.get(number) ?? 0) + 1);
  else unexpected.push(`${status} to ${number}`);
};

/** How many answers named a sale that an earlier answer to the same order had named. */
export const duplicatesIn = ({ accepted }: Answers): number =>
  [...accepted.values()].reduce((sum, ids) => sum + ids.length - 1, 0);
