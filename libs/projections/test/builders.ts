import { noCommission } from '@refledger/contracts';
import type {
  AffiliateEvent,
  AffiliateFields,
  AffiliateId,
  ConversionFields,
  ConversionId,
  EndpointBefore,
  EndpointFields,
  EndpointId,
  EventInputOf,
  ProgramId,
} from '@refledger/contracts';
import { affiliateEvents, affiliateFields as approved } from '@refledger/domain/testing';

export const affiliateId: AffiliateId = 'aff_1';
export const conversionId: ConversionId = 'conv_1';
export const endpointId: EndpointId = 'whk_1';
const program_id: ProgramId = 'prog_spring';

const about = { affiliate_id: affiliateId, program_id };

export const affiliateFields = (fields: Partial<AffiliateFields> = {}): AffiliateFields => ({
  ...approved,
  email: 'Ann@Example.org',
  name: 'Ann',
  status: 'pending',
  ...fields,
});

export const affiliateCreated = affiliateEvents.created(about, affiliateFields());
export const affiliateDeleted = affiliateEvents.deleted(about, affiliateFields());
export const affiliateChanged = (
  type: 'affiliate.updated' | 'affiliate.approved',
  before: AffiliateFields,
  after: AffiliateFields,
): AffiliateEvent => affiliateEvents.changed(type, about, [before, after]);

const conversionFields = ({
  sale_amount = 4950,
  ...fields
}: Partial<ConversionFields> = {}): ConversionFields => ({
  status: 'pending',
  sale_amount,
  refunded_amount: fields.status === 'refunded' ? sale_amount : 0,
  commission_amount: 0,
  commission: noCommission,
  reason: null,
  metadata: {},
  payout_id: null,
  ...fields,
});
const basis = { reported_occurred_at: null, terms: null, first_occurred_at: null };
const sale = (id: ConversionId, currency: string) => ({
  conversion_id: id,
  affiliate_id: affiliateId,
  program_id,
  sale_currency: currency,
  occurred_at: '2026-01-31T09:30:00.000Z',
  payable_on: '2026-01-31',
  external_transaction_id: `t-${id}`,
});

export const conversionCreated = (
  fields: Partial<ConversionFields> = {},
  id = conversionId,
  currency = 'USD',
): EventInputOf<'conversion'> => ({
  type: 'conversion.created',
  data: { ...sale(id, currency), basis, after: conversionFields(fields) },
});
export const conversionChanged = (
  type:
    'conversion.updated' | 'conversion.approved' | 'conversion.rejected' | 'conversion.refunded',
  before: Partial<ConversionFields>,
  after: Partial<ConversionFields>,
  { id = conversionId, currency = 'USD' } = {},
): EventInputOf<'conversion'> => ({
  type,
  data: { ...sale(id, currency), before: conversionFields(before), after: conversionFields(after) },
});
/** What follows payout 1: the conversion shows it, or no longer does. */
export const conversionTrail = (
  type: 'conversion.paid' | 'conversion.unpaid',
  before: Partial<ConversionFields>,
  after: Partial<ConversionFields>,
): EventInputOf<'conversion'> => ({
  type,
  data: {
    ...sale(conversionId, 'USD'),
    payout_id: 'pay_1',
    payout_number: 1,
    amount: 20,
    before: conversionFields(before),
    after: conversionFields(after),
  },
});

export const endpointFields = (fields: Partial<EndpointFields> = {}): EndpointFields => ({
  target_url: 'https://Example.org/hook#x',
  target_key: 'https://example.org/hook',
  events: ['conversion.created'],
  description: 'mine',
  secret: 'sealed-1',
  payload: 'full',
  max_per_second: null,
  ...fields,
});
/** The endpoint before an event, in tests that do not look at it. */
export const endpointBefore: EndpointBefore = {
  fields: endpointFields(),
  status: 'enabled',
  disabled: null,
  failing_since: null,
  previous: null,
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:00.000Z',
};
