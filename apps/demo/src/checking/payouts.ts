import type { Payout } from '@refledger/testing';
import type { Shop } from '../service/shop.js';
import type { AffiliatePay } from '../day/sale.js';

/** Reads what the service's payouts have paid. */
export const readPaid = async (shop: Shop): Promise<readonly AffiliatePay[]> =>
  (await shop.all<Payout>('/v1/payouts'))
    .filter(({ status }) => status === 'completed')
    .map(({ currency, amount }) => ({ currency, amount: BigInt(amount) }));
