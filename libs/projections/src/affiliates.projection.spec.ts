import {
  affiliateSchema,
  affiliateValueNames,
  type SealedAffiliateRecord,
} from '@refledger/contracts';
import { plainAffiliate } from '@refledger/domain/testing';
import type { Document } from '@refledger/read-store';
import { present } from '@refledger/testing/present';
import {
  affiliateChanged,
  affiliateCreated,
  affiliateDeleted,
  affiliateFields,
  affiliateId,
} from '../test/builders.js';
import { documentsOf, minute, record } from '../test/history.js';
import { affiliatesProjection } from './affiliates.projection.js';

const stream = 'refledger.affiliate-aff_1';
const documentsAfter = (...events: (typeof affiliateCreated)[]) =>
  documentsOf(affiliatesProjection, record(events.map((event) => ({ stream, event })))).get(
    affiliateId,
  );

const isPersonal = (field: string): boolean => affiliateValueNames.some((name) => name === field);

/** The record of a document as the API shows it. */
const shownIn = (document: Document) =>
  plainAffiliate(document['record'] as unknown as SealedAffiliateRecord);

it('starts with the affiliate as it was created', () => {
  const document = present(documentsAfter(affiliateCreated));

  expect(Object.keys(document).sort()).toEqual([
    'account_id',
    'email_hash',
    'external_id_hash',
    'record',
  ]);
  expect(document).toMatchObject({ account_id: 'acct_1', email_hash: 'ann@example.org' });
  expect(shownIn(document)).toEqual({
    id: 'aff_1',
    object: 'affiliate',
    email: 'Ann@Example.org',
    external_id: null,
    name: 'Ann',
    program_id: 'prog_spring',
    status: 'pending',
    commission: null,
    commission_version: 0,
    payout_email: null,
    payout_hold: false,
    payout_hold_reason: null,
    metadata: {},
    reason: null,
    created_at: minute(1),
    updated_at: minute(1),
    approved_at: null,
    revision: 0,
  });
  expect(Object.keys(shownIn(document)).sort()).toEqual(Object.keys(affiliateSchema.shape).sort());
});

it('has no personal value in the clear', () => {
  const { record } = present(documentsAfter(affiliateCreated));

  expect(Object.keys(record as object).sort()).toEqual(
    [...Object.keys(affiliateSchema.shape).filter((field) => !isPersonal(field)), 'sealed'].sort(),
  );
});

it('follows every change, including the hashes of its email and its external id', () => {
  const changed = affiliateFields({ email: 'ÄNN@Bücher.org', external_id: 'A-1' });
  const document = present(
    documentsAfter(
      affiliateCreated,
      affiliateChanged('affiliate.updated', affiliateFields(), changed),
      affiliateChanged('affiliate.approved', changed, { ...changed, status: 'approved' }),
    ),
  );

  expect(document).toMatchObject({
    email_hash: 'änn@xn--bcher-kva.org',
    external_id_hash: 'A-1',
  });
  expect(shownIn(document)).toMatchObject({
    email: 'ÄNN@Bücher.org',
    external_id: 'A-1',
    status: 'approved',
    approved_at: minute(3),
    updated_at: minute(3),
    revision: 2,
  });
});

it('stays gone once deleted', () => {
  expect(
    documentsAfter(
      affiliateCreated,
      affiliateDeleted,
      affiliateChanged('affiliate.updated', affiliateFields(), affiliateFields({ name: 'Bob' })),
    ),
  ).toBeNull();
});
