import type { AffiliateId, ErasureRecord, EventMetadata } from '@refledger/contracts';

/** The erasure of an affiliate, as its event tells. The key store says whether it is finished. */
export type Erasure = Pick<ErasureRecord, 'id' | 'created_at'> & {
  /** Who requested it: the id of an API key, or the name of a role of the service. */
  readonly actor: string;
};

/** Returns the erasure that an `affiliate.erased` with this metadata recorded. */
export const erasureOf = (
  id: AffiliateId,
  { recorded_at, actor }: Pick<EventMetadata, 'recorded_at' | 'actor'>,
): Erasure => ({ id, created_at: recorded_at, actor });
