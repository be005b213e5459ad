import { withAsciiDomain } from '@refledger/contracts';
import { isExactForPayPal, isPaidByPayPal, paypalAmount } from './paypal-amount.js';
import type { PayoutTemplate } from './payout-template.js';

/**
 * A payment file for PayPal Payouts Web: one row per payout without a header, with the columns
 * recipient, amount, currency, customer ID, note and wallet. Source:
 * https://developer.paypal.com/docs/payouts/standard/payouts-web/ as read on 2026-11-26. A file has
 * one currency and at most 5,000 rows, a customer ID has at most 30 characters and no spaces, and a
 * note has at most 400. Check it against a template downloaded from PayPal before a release.
 */
export const paypal: PayoutTemplate = {
  statuses: ['processing'],
  rowsPerPart: 5_000,
  forProvider: true,
  pays: isPaidByPayPal,
  header: undefined,
  row: ({ payout, recipient, amount }) => [
    { text: paypalRecipient(recipient) ?? recipient },
    { number: paypalAmount(amount, payout.currency) },
    { text: payout.currency },
    { text: payout.id },
    { text: payout.description ?? '' },
    { text: 'PAYPAL' },
  ],
  isUsable: ({ payout: { description, amount, currency }, recipient }) =>
    (description ?? '').length <= 400 &&
    paypalRecipient(recipient) !== undefined &&
    isExactForPayPal(BigInt(amount), currency),
};

/**
 * Returns an e-mail address as PayPal takes it, with the ASCII form of its domain; undefined if
 * PayPal does not take it. It takes "up to 127 single-byte characters", according to
 * https://developer.paypal.com/api/payments.payouts-batch/v1/definitions/recipient_enum as read on
 * 2026-11-29, which Payouts Web does not repeat. A local part has no ASCII form.
 */
const paypalRecipient = (email: string): string | undefined => {
  const address = withAsciiDomain(email);
  return /^[ -~]{1,127}$/.test(address) ? address : undefined;
};
