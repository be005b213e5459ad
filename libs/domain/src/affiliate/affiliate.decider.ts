import type {
  AffiliateEvent,
  AffiliateHashes,
  AffiliateId,
  AffiliatePlainFields,
  SealedAffiliateRecord,
} from '@refledger/contracts';
import { touched, type Decider, type EventMeta } from '../decider.js';
import { requireExisting } from './affiliate-decision.js';

/** An affiliate as folded from its events, which takes no key. */
export type AffiliateState =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'present' | 'deleted';
      readonly record: SealedAffiliateRecord & { readonly sealed: string };
      /** The personal values with which it was created. */
      readonly sealedAsCreated: string;
      readonly hashes: AffiliateHashes;
      /** The revision that last changed the recipient. */
      readonly payeeRevision: number;
    }
  | {
      readonly kind: 'erased';
      readonly record: SealedAffiliateRecord & { readonly sealed: null };
      readonly payeeRevision: number;
    };

export type AffiliateCommand =
  /** Records events that `decideAffiliate` decided on this state, with their values sealed. */
  | { readonly type: 'record'; readonly events: readonly AffiliateEvent[] }
  | { readonly type: 'delete'; readonly affiliate_id: AffiliateId }
  /** Deletes the affiliate as well, unless it is deleted. Does nothing if it is erased. */
  | { readonly type: 'erase'; readonly affiliate_id: AffiliateId };

/**
 * The life of an affiliate as it is stored. `decideAffiliate` has the rules about its personal
 * values; deleting and erasing it take no key.
 */
export const affiliateDecider: Decider<AffiliateCommand, AffiliateState, AffiliateEvent> = {
  initial: { kind: 'none' },

  decide(command, state) {
    switch (command.type) {
      case 'record':
        return command.events;
      case 'delete':
        return [deleted(requireExisting(state, command.affiliate_id))];
      case 'erase':
        return erase(command.affiliate_id, state);
    }
  },

  evolve(state, event, at) {
    if (event.type === 'affiliate.created')
      return {
        kind: 'present',
        record: newAffiliateRecord(event.data, at),
        sealedAsCreated: event.data.sealed,
        hashes: event.data.hashes,
        payeeRevision: at.revision,
      };
    if (state.kind === 'none' || state.kind === 'erased') return state;
    const { record, payeeRevision } = state;
    if (event.type === 'affiliate.erased')
      return { kind: 'erased', record: { ...record, sealed: null, ...touched(at) }, payeeRevision };
    if (event.type === 'affiliate.deleted')
      return { ...state, kind: 'deleted', record: { ...record, ...touched(at) } };
    const { hashes, recipient_changed } = event.data;
    return {
      ...state,
      record: changedRecord(record, event, at),
      hashes,
      payeeRevision: recipient_changed ? at.revision : payeeRevision,
    };
  },
};

/** An event that sets the fields of an affiliate's record. */
type AffiliateChange = Exclude<
  AffiliateEvent,
  { readonly type: `affiliate.${'created' | 'deleted' | 'erased'}` }
>;

/** Returns the record after an event that changes its fields. */
export const changedRecord = (
  record: SealedAffiliateRecord,
  { type, data: { after, sealed } }: AffiliateChange,
  at: EventMeta,
): SealedAffiliateRecord & { readonly sealed: string } => {
  const approved_at = type === 'affiliate.approved' ? at.recordedAt : record.approved_at;
  return { ...record, ...after, sealed, approved_at, ...touched(at) };
};

/** Returns the fields of a record that can change and are not personal. */
export const plainFieldsOf = ({
  status,
  commission,
  commission_version,
  payout_hold,
}: AffiliatePlainFields): AffiliatePlainFields => ({
  status,
  commission,
  commission_version,
  payout_hold,
});

const erase = (affiliate_id: AffiliateId, state: AffiliateState): AffiliateEvent[] => {
  if (state.kind === 'erased') return [];
  const { program_id } =
    state.kind === 'deleted'
      ? state.record
      : requireExisting<SealedAffiliateRecord>(state, affiliate_id);
  const erased: AffiliateEvent = { type: 'affiliate.erased', data: { affiliate_id, program_id } };
  return state.kind === 'present' ? [deleted(state.record), erased] : [erased];
};

const deleted = (record: SealedAffiliateRecord): AffiliateEvent => ({
  type: 'affiliate.deleted',
  data: {
    affiliate_id: record.id,
    program_id: record.program_id,
    before: plainFieldsOf(record),
  },
});

export const newAffiliateRecord = (
  {
    affiliate_id,
    program_id,
    after,
    sealed,
  }: Extract<AffiliateEvent, { type: 'affiliate.created' }>['data'],
  at: EventMeta,
): SealedAffiliateRecord & { readonly sealed: string } => ({
  id: affiliate_id,
  object: 'affiliate',
  program_id,
  ...after,
  sealed,
  created_at: at.recordedAt,
  updated_at: at.recordedAt,
  approved_at: null,
  revision: at.revision,
});
