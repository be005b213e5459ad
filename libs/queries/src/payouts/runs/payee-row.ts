import type { PayoutRecord } from '@refledger/contracts';

/** A payout, and to whom it is paid, as they are now. */
export interface PayeeRow {
  readonly payout: PayoutRecord;
  readonly name: string;
  /** The e-mail address to which the money is sent. */
  readonly recipient: string;
  /** The recipient has changed since the payout was made, or since the last one was completed. */
  readonly isChanged: boolean;
}

/** The row of a payout, or the id of one whose affiliate was deleted. */
export type RowOrMissing = PayeeRow | { readonly missing: string };
