// Test double: it seals nothing. The sealed text of an event is JSON, and its hashes are the values.
import {
  emailKey,
  type AffiliateEvent,
  type AffiliateFields,
  type AffiliateHashes,
  type AffiliateId,
  type AffiliateValues,
  type OpenAffiliateRecord,
  type ProgramId,
  type SealedAffiliateRecord,
} from '@refledger/contracts';
import type { OpenAffiliateEvent } from '../affiliate/affiliate-decision.js';
import { affiliateDecider, plainFieldsOf } from '../affiliate/affiliate.decider.js';
import { openRecord, sealedEvents } from '../affiliate/sealed-affiliate.js';

interface About {
  readonly affiliate_id: AffiliateId;
  readonly program_id: ProgramId;
}

/** The fields of an approved affiliate. */
export const affiliateFields: AffiliateFields = {
  email: 'ada@example.com',
  external_id: null,
  name: 'Ada',
  status: 'approved',
  commission: null,
  commission_version: 0,
  payout_email: null,
  payout_hold: false,
  payout_hold_reason: null,
  reason: null,
  metadata: {},
};

/** Events of an affiliate as they are recorded, from its fields before and after them. */
export const affiliateEvents = {
  created: (about: About, after: AffiliateFields = affiliateFields) =>
    plainlySealed({ type: 'affiliate.created', data: { ...about, after } }),
  changed: (
    type: Exclude<OpenAffiliateEvent['type'], 'affiliate.created'>,
    about: About,
    [before, after]: readonly [AffiliateFields, AffiliateFields],
  ) => plainlySealed({ type, data: { ...about, before, after } }),
  deleted: (
    { affiliate_id, program_id }: About,
    before: AffiliateFields = affiliateFields,
  ): AffiliateEvent => ({
    type: 'affiliate.deleted',
    data: { affiliate_id, program_id, before: plainFieldsOf(before) },
  }),
  erased: ({ affiliate_id, program_id }: About): AffiliateEvent => ({
    type: 'affiliate.erased',
    data: { affiliate_id, program_id },
  }),
};

/** Returns a decided event as it is recorded. */
const plainlySealed = (event: OpenAffiliateEvent): AffiliateEvent => {
  const [sealed] = sealedEvents([event], affiliateDecider.initial, {
    seal: (values) => JSON.stringify(values),
    hashes: plainHashes(event.data.after),
  });
  if (sealed === undefined) throw new TypeError('an event was not sealed');
  return sealed;
};

/** Returns the record, as it is stored, of an affiliate that was created with these fields. */
export const storedAffiliate = (
  affiliate_id: AffiliateId,
  fields: Partial<AffiliateFields> = {},
): SealedAffiliateRecord => {
  const created = affiliateEvents.created(
    { affiliate_id, program_id: 'prog_1' },
    { ...affiliateFields, ...fields },
  );
  const at = { revision: 0, recordedAt: '2026-01-01T00:00:00.000Z' };
  const state = affiliateDecider.evolve(affiliateDecider.initial, created, at);
  if (state.kind !== 'present') throw new TypeError('an affiliate was not created');
  return state.record;
};

export const plainHashes = ({
  email,
  external_id,
}: Pick<AffiliateValues, 'email' | 'external_id'>): AffiliateHashes => ({
  email: emailKey(email),
  external_id,
});

/** Returns the record that a test's events made, as the API shows it. */
export const plainAffiliate = (record: SealedAffiliateRecord): OpenAffiliateRecord => {
  if (record.sealed === null) throw new TypeError(`${record.id} is erased`);
  return openRecord(record, JSON.parse(record.sealed) as AffiliateValues);
};
