import type { Conversion } from '@refledger/testing';
import type { Order } from '../day/day.js';
import type { ApiResponse } from '../service/shop.js';

/** The service's responses to the shop. */
export interface ShopResponses {
  /** The conversion ids in the responses to each order: one per time that the order was sent. */
  readonly accepted: Map<string, string[]>;
  /** How often each order was refused because its affiliate is not active. */
  readonly refused: Map<string, number>;
  readonly unexpected: string[];
}

/** Adds the response to an order. */
export const addResponse = (
  { accepted, refused, unexpected }: ShopResponses,
  { number }: Order,
  { status, body }: ApiResponse,
): void => {
  if (status === 201 || status === 200)
    accepted.set(number, [...(accepted.get(number) ?? []), (body as Conversion).id]);
  else if (status === 422) refused.set(number, (refused.get(number) ?? 0) + 1);
  else unexpected.push(`${status} to ${number}`);
};

/** The number of responses that named the sale of an earlier response to the same order. */
export const duplicatesIn = ({ accepted }: ShopResponses): number =>
  [...accepted.values()].reduce((sum, ids) => sum + ids.length - 1, 0);
