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
      readonly record: SealedAffiliateRecord;
      /** The personal values with which it was created. */
      readonly sealedAsCreated: string;
      readonly hashes: AffiliateHashes;
      /** The revision that last changed the recipient. */
      readonly payeeRevision: number;
    };

export type AffiliateCommand =
  /** Records events that `decideAffiliate` decided on this state, with their values sealed. */
  | { readonly type: 'record'; readonly events: readonly AffiliateEvent[] }
  | { readonly type: 'delete'; readonly affiliate_id: AffiliateId };

/**
 * The life of an affiliate as it is stored. `decideAffiliate` has the rules about its personal
 * values; deleting it takes no key.
 */
export const affiliateDecider: Decider<AffiliateCommand, AffiliateState, AffiliateEvent> = {
  initial: { kind: 'none' },

  decide: (command, state) =>
    command.type === 'record'
      ? command.events
      : [deleted(requireExisting(state, command.affiliate_id))],

  evolve(state, event, at) {
    if (event.type === 'affiliate.created')
      return {
        kind: 'present',
        record: newAffiliateRecord(event.data, at),
        sealedAsCreated: event.data.sealed,
        hashes: event.data.hashes,
        payeeRevision: at.revision,
      };
    if (state.kind === 'none') return state;
    const record = affiliateRecordAfter(state.record, event, at);
    if (event.type === 'affiliate.deleted') return { ...state, kind: 'deleted', record };
    const { hashes, recipient_changed } = event.data;
    const payeeRevision = recipient_changed ? at.revision : state.payeeRevision;
    return { ...state, record, hashes, payeeRevision };
  },
};

/** Returns the record after an event. An event that is not the first needs the record before it. */
export const affiliateRecordAfter = (
  record: SealedAffiliateRecord,
  event: Exclude<AffiliateEvent, { readonly type: 'affiliate.created' }>,
  at: EventMeta,
): SealedAffiliateRecord => {
  if (event.type === 'affiliate.deleted') return { ...record, ...touched(at) };
  const { after, sealed } = event.data;
  const approved_at = event.type === 'affiliate.approved' ? at.recordedAt : record.approved_at;
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
): SealedAffiliateRecord => ({
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
