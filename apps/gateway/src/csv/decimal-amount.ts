import { minorDigits } from '@refledger/contracts';

/**
 * Returns an amount of minor units as a decimal with the currency's own number of decimal places:
 * `-0.05`.
 */
export const decimalAmount = (amount: bigint, currency: string): string => {
  const digits = minorDigits(currency);
  if (digits === 0) return String(amount);
  const [sign, units] = amount < 0n ? ['-', -amount] : ['', amount];
  const text = String(units).padStart(digits + 1, '0');
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
};
