import type { ConversionStatus } from '@refledger/testing';

/** The fields of a new sale's request that the books depend on. */
export interface SaleRequest {
  readonly affiliate_id: string;
  readonly sale_amount: number;
  readonly sale_currency: string;
  readonly commission_amount?: number;
  readonly customer_id?: string;
  /** RFC 3339 */
  readonly occurred_at?: string;
}

/** The fields of a patch that the books depend on. */
export interface ChangeRequest {
  readonly status?: ConversionStatus;
  readonly sale_amount?: number;
  readonly refunded_amount?: number;
  readonly commission_amount?: number | null;
}
