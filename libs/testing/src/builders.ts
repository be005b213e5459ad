import { randomUUID } from 'node:crypto';

/** Returns a valid request body with an unused email; `over` overrides its fields. */
export const affiliateBody = (over: object = {}): Record<string, unknown> => ({
  email: uniqueEmail(),
  name: 'Ada Lovelace',
  program_id: 'prog_spring',
  ...over,
});

export const conversionBody = (
  affiliateId: string,
  over: object = {},
): Record<string, unknown> => ({
  affiliate_id: affiliateId,
  sale_amount: 4_950,
  sale_currency: 'USD',
  ...over,
});

export const adjustmentBody = (
  affiliateId: string,
  over: object = {},
): Record<string, unknown> => ({
  affiliate_id: affiliateId,
  currency: 'USD',
  amount: 8_000,
  description: 'Bonus',
  ...over,
});

export const programBody = (over: object = {}): Record<string, unknown> => ({
  name: 'Spring',
  ...over,
});

export const subscriptionBody = (
  targetUrl: string,
  events: readonly string[],
  over: object = {},
): Record<string, unknown> => ({ target_url: targetUrl, events, ...over });

export const uniqueEmail = (): string => `ada.${randomUUID().slice(0, 13)}@example.com`;
export const uniqueText = (prefix: string): string => `${prefix}-${randomUUID()}`;

/** Returns a well-formed id that names nothing. */
export const unknownId = (prefix: string): string =>
  `${prefix}_${'0'.repeat(18)}${randomUUID().slice(0, 8)}`;
