import type { Change } from './day.js';

export type Status = 'pending' | Change;

/**
 * The fields of a sale that the sums need. Every source of sales has them. Amounts are in the minor
 * unit of the currency.
 */
export interface Sale {
  readonly number: string;
  readonly status: Status;
  readonly amount: bigint;
  readonly currency: string;
  /**
   * The affiliate's earnings from it: its commission while it is approved, and otherwise nothing.
   */
  readonly earned: bigint;
}

/** The payment of the shop to an affiliate at the end of the day. */
export interface AffiliatePay {
  readonly currency: string;
  /** In the minor unit of the currency. */
  readonly amount: bigint;
}
