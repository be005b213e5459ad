import { expectedCommission, type ConversionStatus, type SentTerms } from '@refledger/testing';
import { exclusionOf, type Place } from './customers.js';
import type { ChangeRequest, SaleRequest } from './sale-requests.js';

/**
 * A conversion as its requests describe it, worked out from the contract's text without any of the
 * service's code. Amounts are in the minor unit of the currency.
 */
export interface BookedSale {
  readonly affiliate: string;
  readonly currency: string;
  /** The terms that were in force when it was recorded. */
  readonly terms: SentTerms | null;
  readonly place: Place;
  readonly status: ConversionStatus;
  readonly amount: bigint;
  readonly refunded: bigint;
  /** The commission that was sent, which takes the place of the terms. */
  readonly explicit: bigint | null;
  readonly commission: bigint;
  /** Why it earns that, in the words of the contract. */
  readonly why: string;
}

/** The facts that a new sale depends on, besides its request. */
export interface Deal {
  readonly terms: SentTerms | null;
  readonly isApproved: boolean;
}

/** Books a new sale. */
export const sold = (request: SaleRequest, { terms, isApproved }: Deal, place: Place): BookedSale =>
  withCommission({
    affiliate: request.affiliate_id,
    currency: request.sale_currency,
    terms,
    place,
    status: isApproved ? 'approved' : 'pending',
    amount: BigInt(request.sale_amount),
    refunded: 0n,
    explicit: request.commission_amount === undefined ? null : BigInt(request.commission_amount),
    commission: 0n,
    why: '',
  });

/** Books a patch that the service accepted. */
export const changed = (sale: BookedSale, request: ChangeRequest): BookedSale => {
  const amount = request.sale_amount === undefined ? sale.amount : BigInt(request.sale_amount);
  const asked = request.refunded_amount === undefined ? null : BigInt(request.refunded_amount);
  const isAllRefunded = asked === amount && amount > 0n;
  const status = request.status ?? (isAllRefunded ? 'refunded' : sale.status);
  const kept = sale.status === 'refunded' && status !== 'refunded' ? 0n : sale.refunded;
  const refunded = status === 'refunded' ? amount : (asked ?? kept);
  return withCommission({
    ...sale,
    status,
    amount,
    refunded,
    explicit: explicitAfter(sale, request),
  });
};

const explicitAfter = (sale: BookedSale, { commission_amount }: ChangeRequest): bigint | null => {
  if (commission_amount === undefined) return sale.explicit;
  return commission_amount === null ? null : BigInt(commission_amount);
};

/** A refunded sale still shows the commission that it has lost. */
const withCommission = (sale: BookedSale): BookedSale => {
  const { explicit, status, currency, terms, place } = sale;
  if (explicit !== null) return { ...sale, commission: explicit, why: 'explicit' };
  if (status === 'refunded') return sale;
  const exclusion = exclusionOf(terms, place);
  if (exclusion !== null) return { ...sale, commission: 0n, why: exclusion };
  const net = sale.amount - sale.refunded;
  const { amount: commission, why } = expectedCommission({ net, currency }, terms);
  return { ...sale, commission, why };
};
