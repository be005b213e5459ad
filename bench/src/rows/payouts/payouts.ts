import type { Payout } from '@refledger/testing';
import { machineClock } from '../../load/clock.js';
import type { Service } from '../../service/service.js';
import type { OwingDirectory } from '../ledger/owing-directory.js';

/** Requests a payout of everything that a directory's affiliate is owed. */
export const pay = async (
  service: Service,
  { affiliate, adjusted }: Pick<OwingDirectory, 'affiliate' | 'adjusted'>,
): Promise<{ readonly payout: Payout; readonly ms: number }> => {
  const begin = machineClock.now();
  const payout = await service.post<Payout>('/v1/payouts', {
    affiliate_id: affiliate,
    currency: 'USD',
    even_if_not_approved: true,
  });
  const ms = machineClock.now() - begin;
  if (payout.amount !== adjusted)
    throw new Error(`${adjusted} was payable, but ${payout.id} is ${payout.amount}`);
  return { payout, ms };
};

/** Cancels a payout, and waits until its lines are open again. */
export const cancel = async (service: Service, { id }: Pick<Payout, 'id'>): Promise<void> => {
  await service.patch(`/v1/payouts/${id}`, { status: 'canceled' });
  await service.caughtUp();
};
