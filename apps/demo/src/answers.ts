import type { Conversion } from '@refledger/testing';
import type { Order } from './day.js';
import type { Answer } from './shop.js';

/** The service's answers to the shop. */
export interface Answers {
  /** The conversion ids in the answers to each order: one per time that the order was sent. */
  readonly accepted: Map<string, string[]>;
  /** How often each order was refused because its affiliate is not active. */
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

/** The number of answers that named the sale of an earlier answer to the same order. */
export const duplicatesIn = ({ accepted }: Answers): number =>
  [...accepted.values()].reduce((sum, ids) => sum + ids.length - 1, 0);
