import { affiliateSchema, affiliateDefaults } from '@refledger/contracts';
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

it('starts with the affiliate as it was created', () => {
  const document = present(documentsAfter(affiliateCreated));

  expect(document).toMatchObject({ account_id: 'acct_1', email_key: 'ann@example.org' });
  expect(document.record).toEqual({
    id: 'aff_1',
    object: 'affiliate',
    email: 'Ann@Example.org',
    name: 'Ann',
    program_id: 'prog_spring',
    status: 'pending',
    ...affiliateDefaults,
    metadata: {},
    reason: null,
    created_at: minute(1),
    updated_at: minute(1),
    approved_at: null,
    revision: 0,
  });
  expect(Object.keys(present(document.record)).sort()).toEqual(
    Object.keys(affiliateSchema.shape).sort(),
  );
});

it('follows every change, including the key of its email', () => {
  const email = affiliateFields({ email: 'ÄNN@Bücher.org' });
  const document = documentsAfter(
    affiliateCreated,
    affiliateChanged('affiliate.updated', affiliateFields(), email),
    affiliateChanged('affiliate.approved', email, { ...email, status: 'approved' }),
  );

  expect(document).toMatchObject({
    email_key: 'änn@xn--bcher-kva.org',
    record: {
      email: 'ÄNN@Bücher.org',
      status: 'approved',
      approved_at: minute(3),
      updated_at: minute(3),
      revision: 2,
    },
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
