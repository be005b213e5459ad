import type { SealedAffiliateRecord } from '@refledger/contracts';
import { recordFold } from '../record-fold.js';
import { affiliateDecider, type AffiliateState } from './affiliate.decider.js';

/** Returns the record as it is stored; undefined when there is no affiliate, or it was deleted. */
export const affiliateRecord = (state: AffiliateState): SealedAffiliateRecord | undefined =>
  state.kind === 'present' ? state.record : undefined;

/** Returns the record of an affiliate that has a history: it exists, or was erased. */
export const recordWithHistory = (state: AffiliateState): SealedAffiliateRecord | undefined =>
  state.kind === 'present' || state.kind === 'erased' ? state.record : undefined;

/**
 * Returns the record as of the last event, even if the affiliate is deleted. A webhook about that
 * event carries it.
 */
export const lastAffiliateRecord = (state: AffiliateState): SealedAffiliateRecord | undefined =>
  state.kind === 'none' ? undefined : state.record;

/** An affiliate's stream before its first event. */
export const affiliateAggregate = recordFold('affiliate', affiliateDecider, lastAffiliateRecord);
