import { normalizeCurrency } from '@refledger/contracts';

/** Returns the integer, with `-0`, which JSON allows, as 0. */
export const integer = (value: number): number => value + 0;

/** Returns the amounts as they are stored: with the codes of their currencies in upper case. */
export const amountsByCurrency = (
  amounts: Readonly<Record<string, number>>,
): Record<string, number> =>
  Object.fromEntries(
    Object.entries(amounts).map(([code, amount]) => [normalizeCurrency(code), integer(amount)]),
  );
