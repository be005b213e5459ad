import { accountOf, type AccountId, type AffiliateId, type Position } from '@refledger/contracts';
import type { ErasedEvent } from '@refledger/application';
import type { KeyRow, StoredKey } from '@refledger/key-store';

/** An erasure as the log and the key store have it. */
export interface ErasureEntry {
  readonly affiliate_id: AffiliateId;
  readonly account_id: AccountId;
  readonly event_id: string;
  /** The position of the event; in the log that had it, if this one does not. */
  readonly position: Position;
  /** When the event was recorded; null if the log does not have it. */
  readonly created_at: string | null;
  /** When the key was destroyed; null while the erasure runs. */
  readonly erased_at: string | null;
}

export const entryOfEvent = (event: ErasedEvent, stored: StoredKey | undefined): ErasureEntry => ({
  affiliate_id: event.affiliateId,
  account_id: accountOf(event),
  event_id: event.id,
  position: event.position,
  created_at: event.metadata.recorded_at,
  erased_at: stored?.kind === 'erased' ? stored.erasedAt : null,
});

export type ErasedRow = Extract<KeyRow, { readonly kind: 'erased' }> & {
  readonly owner: AffiliateId;
};

export const entryOfRow = (row: ErasedRow): ErasureEntry => ({
  affiliate_id: row.owner,
  account_id: row.accountId,
  event_id: row.eventId,
  position: row.position,
  created_at: null,
  erased_at: row.erasedAt,
});

/** The erasure on one line. */
export const entryLine = ({
  affiliate_id,
  account_id,
  created_at,
  erased_at,
}: ErasureEntry): string => {
  const begun = created_at === null ? 'not in this log' : `recorded ${created_at}`;
  const ended = erased_at === null ? 'running' : `finished ${erased_at}`;
  return `${affiliate_id}  ${account_id}  ${begun}  ${ended}`;
};
