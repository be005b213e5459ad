/** Formats an amount of minor units for people: `$49.50`, `¥4,950`. */
export const money = (amount: bigint, currency: string): string => {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.format(
    Number(amount) / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2),
  );
};
