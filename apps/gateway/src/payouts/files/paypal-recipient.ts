import { withAsciiDomain } from '@refledger/contracts';

/**
 * Returns an e-mail address as PayPal takes it, with the ASCII form of its domain; undefined if
 * PayPal does not take it. It takes "up to 127 single-byte characters", according to
 * https://developer.paypal.com/api/payments.payouts-batch/v1/definitions/recipient_enum as read on
 * 2026-11-29, which Payouts Web does not repeat. A local part has no ASCII form.
 */
export const paypalRecipient = (email: string): string | undefined => {
  const address = withAsciiDomain(email);
  return /^[ -~]{1,127}$/.test(address) ? address : undefined;
};
