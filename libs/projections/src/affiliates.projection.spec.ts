import { affiliateSchema } from '@refledger/contracts';
import {
  affiliateChanged,
  affiliateCreated,
  affiliateDeleted,
  affiliateFields,
  affiliateId,
} from '../test/builders.js';
import { documentsOf, minute, record } from '../test/history.js';
import { affiliateFromDocument, affiliatesProjection, emailKey } from './affiliates.projection.js';

const stream = 'refledger.affiliate-aff_1';
const after = (...events: (typeof affiliateCreated)[]) =>
  documentsOf(affiliatesProjection, record(events.map((event) => ({ stream, event })))).get(
    affiliateId,
  );

it('begins with the affiliate as it was created', () => {
  const document = after(affiliateCreated)!;

  expect(document).toMatchObject({ account_id: 'acct_1', email_key: 'ann@example.org' });
  expect(affiliateFromDocument(document)).toEqual({
    id: 'aff_1',
    object: 'affiliate',
    email: 'Ann@Example.org',
    name: 'Ann',
    program_id: 'prog_spring',
    status: 'pending',
    metadata: {},
    reason: null,
    created_at: minute(1),
    updated_at: minute(1),
    approved_at: null,
    revision: 0,
  });
  expect(Object.keys(affiliateFromDocument(document)).sort()).toEqual(
    Object.keys(affiliateSchema.shape).sort(),
  );
});

it('follows every change, the key of its e-mail too', () => {
  const email = affiliateFields({ email: 'ÄNN@New.org' });
  const document = after(
    affiliateCreated,
    affiliateChanged('affiliate.updated', affiliateFields(), email),
    affiliateChanged('affiliate.approved', email, { ...email, status: 'approved' }),
  );

  expect(document).toMatchObject({
    email: 'ÄNN@New.org',
    email_key: emailKey('änn@NEW.ORG'),
    status: 'approved',
    approved_at: minute(3),
    updated_at: minute(3),
    revision: 2,
  });
});

it('is gone once deleted, for good', () => {
  expect(
    after(
      affiliateCreated,
      affiliateDeleted,
      affiliateChanged('affiliate.updated', affiliateFields(), affiliateFields({ name: 'Bob' })),
    ),
  ).toBeNull();
});
