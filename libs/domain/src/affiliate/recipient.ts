import type { AffiliateRecord } from '@refledger/contracts';

/** Returns the email address to which an affiliate's money is sent. */
export const recipientOf = ({
  payout_email,
  email,
}: Pick<AffiliateRecord, 'payout_email' | 'email'>): string => payout_email ?? email;
