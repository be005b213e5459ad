import { DomainError, type AffiliateId } from '@refledger/contracts';
import type { CarryOutErasure } from '../engines/engines.js';
import type { ErasureToApply } from './erasure-file.js';

export interface ApplyOptions {
  readonly carryOut: CarryOutErasure;
  readonly signal: AbortSignal;
  /** Called for an affiliate that the log does not have. */
  readonly onAbsent: (id: AffiliateId) => void;
}

/** Counts erasures by whether they were recorded now, were recorded before, or have no affiliate. */
export interface AppliedErasures {
  applied: number;
  present: number;
  absent: number;
}

/** Records these erasures again, and destroys the keys. */
export const applyErasures = async (
  erasures: AsyncIterable<ErasureToApply>,
  { carryOut, signal, onAbsent }: ApplyOptions,
): Promise<Readonly<AppliedErasures>> => {
  const counts: AppliedErasures = { applied: 0, present: 0, absent: 0 };
  for await (const { affiliate_id, event_id } of erasures) {
    signal.throwIfAborted();
    try {
      const isNew = await carryOut({ type: 'restore_erasure', affiliate_id, event_id });
      counts[isNew ? 'applied' : 'present']++;
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'not_found') throw error;
      counts.absent++;
      onAbsent(affiliate_id);
    }
  }
  return counts;
};
