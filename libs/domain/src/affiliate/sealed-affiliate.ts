import { isDeepStrictEqual } from 'node:util';
import {
  affiliateValueNames,
  type AffiliateEvent,
  type AffiliateFields,
  type AffiliateHashes,
  type AffiliateRecord,
  type AffiliateValues,
  type OpenAffiliateRecord,
  type SealedAffiliateRecord,
} from '@refledger/contracts';
import { recipientOf } from './affiliate-fields.js';
import type { OpenAffiliate, OpenAffiliateEvent } from './affiliate-decision.js';
import { plainFieldsOf, type AffiliateState } from './affiliate.decider.js';
import { normalized } from './sent-affiliate.js';

/** How the personal values of one affiliate are sealed. */
export interface Sealing {
  readonly seal: (values: AffiliateValues) => string;
  /** What finds the affiliate after the events. */
  readonly hashes: AffiliateHashes;
}

/**
 * Returns decided events as they are recorded. An event that changes no personal value repeats the
 * text of the one before it.
 */
export const sealedEvents = (
  decided: readonly OpenAffiliateEvent[],
  before: AffiliateState,
  { seal, hashes }: Sealing,
): AffiliateEvent[] => {
  let sealed = before.kind === 'none' ? undefined : (before.record.sealed ?? undefined);
  return decided.map(({ type, data }) => {
    const changed = changedValues(data);
    if (sealed === undefined || changed.length > 0) sealed = seal(valuesOf(data.after));
    const { affiliate_id, program_id, after } = data;
    const about = { affiliate_id, program_id };
    const values = { after: plainFieldsOf(after), sealed, hashes };
    if (type === 'affiliate.created') return { type, data: { ...about, ...values } };
    return {
      type,
      data: {
        ...about,
        before: plainFieldsOf(data.before),
        ...values,
        changed,
        recipient_changed: recipientOf(data.before) !== recipientOf(after),
      },
    };
  });
};

/** Whether decided events change what an affiliate is found by: its email or external id. */
export const changesHashes = (decided: readonly OpenAffiliateEvent[]): boolean =>
  decided.some(
    ({ type, data }) =>
      type === 'affiliate.created' ||
      changedValues(data).some((name) => name === 'email' || name === 'external_id'),
  );

/** The personal values that an event changes. The first event changes all of them. */
const changedValues = ({
  before,
  after,
}: {
  readonly before?: AffiliateFields;
  readonly after: AffiliateFields;
}): (keyof AffiliateValues)[] =>
  affiliateValueNames.filter((name) => !isDeepStrictEqual(before?.[name], after[name]));

/** Returns an affiliate with its personal values in the clear; `open` opens a sealed text. */
export const openAffiliate = (
  state: AffiliateState,
  open: (sealed: string) => AffiliateValues,
): OpenAffiliate =>
  state.kind === 'none' || state.kind === 'erased'
    ? state
    : {
        kind: state.kind,
        record: openRecord(state.record, open(state.record.sealed)),
        asCreated: normalized({
          program_id: state.record.program_id,
          ...open(state.sealedAsCreated),
        }),
      };

/** Returns the record as the API shows it: its fields are in the order of the contract. */
export const openRecord = (
  record: SealedAffiliateRecord,
  values: AffiliateValues,
): OpenAffiliateRecord => ({ ...shown(record, values), ...values });

/** Returns the record of an erased affiliate as the API shows it. */
export const erasedRecord = (record: SealedAffiliateRecord): AffiliateRecord =>
  shown(record, noValues);

const noValues = {
  email: null,
  external_id: null,
  name: null,
  payout_email: null,
  payout_hold_reason: null,
  metadata: {},
  reason: null,
};

const shown = (
  record: SealedAffiliateRecord,
  values: Pick<AffiliateRecord, keyof AffiliateValues>,
): AffiliateRecord => ({
  id: record.id,
  object: record.object,
  email: values.email,
  external_id: values.external_id,
  name: values.name,
  program_id: record.program_id,
  status: record.status,
  commission: record.commission,
  commission_version: record.commission_version,
  payout_email: values.payout_email,
  payout_hold: record.payout_hold,
  payout_hold_reason: values.payout_hold_reason,
  metadata: values.metadata,
  reason: values.reason,
  created_at: record.created_at,
  updated_at: record.updated_at,
  approved_at: record.approved_at,
  revision: record.revision,
});

const valuesOf = ({
  email,
  external_id,
  name,
  payout_email,
  payout_hold_reason,
  reason,
  metadata,
}: AffiliateFields): AffiliateValues => ({
  email,
  external_id,
  name,
  payout_email,
  payout_hold_reason,
  reason,
  metadata,
});
