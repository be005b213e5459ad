import {
  derivedId,
  type AffiliateEvent,
  type AffiliateFields,
  type ConversionEvent,
  type ProgramEvent,
  type RecordedEvent,
} from '@refledger/contracts';
import { about as sale, created, fields } from '../test/conversions.js';
import { affiliateEventChanges, erasedEventChanges, eventChanges } from './event-changes.js';
import { affiliateEvents, affiliateFields } from './testing/affiliate-events.js';

const affiliate_id = derivedId('affiliate', 'ada');
const about = { affiliate_id, program_id: 'prog_a' } as const;
const recorded = <E extends AffiliateEvent | ConversionEvent | ProgramEvent>(
  event: E,
  revision: number,
) =>
  ({
    ...event,
    revision,
    metadata: { recorded_at: '2026-01-31T09:30:00.000Z' },
  }) as unknown as RecordedEvent<E>;

describe('the changes to an affiliate', () => {
  const pending: AffiliateFields = {
    ...affiliateFields,
    status: 'pending',
    metadata: { team: 'a' },
  };
  const changed = (
    type: Exclude<AffiliateEvent['type'], `affiliate.${'created' | 'deleted' | 'erased'}`>,
    before: AffiliateFields,
    after: AffiliateFields,
  ) => {
    const event = affiliateEvents.changed(type, about, [before, after]);
    return affiliateEventChanges(recorded(event, 1), { before, after });
  };

  it('start with all its fields except times and revision', () => {
    const created = recorded(affiliateEvents.created(about, pending), 0);
    expect(affiliateEventChanges(created, { before: undefined, after: pending })).toEqual({
      reason: null,
      changes: [
        { path: '/id', before: null, after: affiliate_id },
        { path: '/object', before: null, after: 'affiliate' },
        { path: '/email', before: null, after: 'ada@example.com' },
        { path: '/name', before: null, after: 'Ada' },
        { path: '/program_id', before: null, after: 'prog_a' },
        { path: '/status', before: null, after: 'pending' },
        { path: '/commission_version', before: null, after: 0 },
        { path: '/payout_hold', before: null, after: false },
        { path: '/metadata/team', before: null, after: 'a' },
      ],
    });
  });

  it('are those of its event, in the order of the record', () => {
    const approved = { ...pending, metadata: {}, status: 'approved', name: 'Ada L.' } as const;
    expect(changed('affiliate.approved', pending, { ...approved, reason: 'known' })).toEqual({
      reason: 'known',
      changes: [
        { path: '/name', before: 'Ada', after: 'Ada L.' },
        { path: '/status', before: 'pending', after: 'approved' },
        { path: '/metadata/team', before: 'a', after: null },
      ],
    });
  });

  it('end with all fields that can change', () => {
    const deleted = recorded(affiliateEvents.deleted(about, pending), 1);
    expect(affiliateEventChanges(deleted, { before: pending, after: undefined })).toEqual({
      reason: null,
      changes: [
        { path: '/email', before: 'ada@example.com', after: null },
        { path: '/name', before: 'Ada', after: null },
        { path: '/status', before: 'pending', after: null },
        { path: '/commission_version', before: 0, after: null },
        { path: '/payout_hold', before: false, after: null },
        { path: '/metadata/team', before: 'a', after: null },
      ],
    });
  });

  it('have the reason that was given with them, and not an earlier one', () => {
    const rejected = { ...pending, status: 'rejected', reason: 'spam' } as const;
    const again = { ...rejected, status: 'approved' } as const;
    expect(changed('affiliate.rejected', pending, rejected).reason).toBe('spam');
    expect(changed('affiliate.updated', rejected, { ...rejected, name: 'B' }).reason).toBeNull();
    expect(changed('affiliate.approved', rejected, { ...again, reason: null }).reason).toBeNull();
    expect(changed('affiliate.approved', rejected, again).reason).toBe('spam');
  });
});

it('the changes to a conversion name its amounts', () => {
  const refunded = { refunded_amount: 950, commission_amount: 7 };
  const data = { ...sale, before: fields, after: { ...fields, ...refunded } };
  expect(eventChanges('conversion', recorded({ type: 'conversion.updated', data }, 1))).toEqual({
    reason: null,
    changes: [
      { path: '/refunded_amount', before: 0, after: 950 },
      { path: '/commission_amount', before: 0, after: 7 },
    ],
  });
  expect(eventChanges('conversion', recorded(created, 0)).changes.map(({ path }) => path)).toEqual([
    '/id',
    '/object',
    '/affiliate_id',
    '/program_id',
    '/status',
    '/occurred_at',
    '/sale_amount',
    '/refunded_amount',
    '/sale_currency',
    '/commission_amount',
    '/commission',
    '/payable_on',
    '/external_transaction_id',
    '/metadata/a',
    '/metadata/b',
  ]);
});

describe('the changes to an erased affiliate', () => {
  const secret = { ...affiliateFields, name: 'Ada Lovelace', metadata: { team: 'a' } };
  const hidden = (path: string) => ({ path, before: null, after: null });
  const changes = (event: AffiliateEvent) => erasedEventChanges(recorded(event, 1)).changes;

  it('start with its plain fields, and null for every personal value', () => {
    const { changes: first, reason } = erasedEventChanges(
      recorded(affiliateEvents.created(about, secret), 0),
    );
    expect(reason).toBeNull();
    expect(first).toEqual([
      { path: '/id', before: null, after: affiliate_id },
      { path: '/object', before: null, after: 'affiliate' },
      hidden('/email'),
      hidden('/external_id'),
      hidden('/name'),
      { path: '/program_id', before: null, after: 'prog_a' },
      { path: '/status', before: null, after: 'approved' },
      { path: '/commission_version', before: null, after: 0 },
      hidden('/payout_email'),
      { path: '/payout_hold', before: null, after: false },
      hidden('/payout_hold_reason'),
      hidden('/metadata'),
    ]);
  });

  it('name the personal values that an event changed, and no others', () => {
    const after = { ...secret, name: 'Countess', metadata: {}, reason: 'known' };
    const held = { ...after, status: 'suspended', payout_hold: true } as const;
    const event = affiliateEvents.changed('affiliate.suspended', about, [secret, held]);
    expect(changes(event)).toEqual([
      hidden('/name'),
      { path: '/status', before: 'approved', after: 'suspended' },
      { path: '/payout_hold', before: false, after: true },
      hidden('/metadata'),
    ]);
  });

  it('end with the deletion of its plain fields; the erasure changes no field', () => {
    expect(changes(affiliateEvents.deleted(about, secret))).toEqual([
      { path: '/status', before: 'approved', after: null },
      { path: '/commission_version', before: 0, after: null },
      { path: '/payout_hold', before: false, after: null },
    ]);
    expect(changes(affiliateEvents.erased(about))).toEqual([]);
  });
});

it('a change to a conversion has the reason that its event holds, even one given before', () => {
  const broken = { ...fields, reason: 'broken' };
  const updated = (reason?: string | null) =>
    recorded(
      {
        type: 'conversion.updated',
        data: {
          ...sale,
          before: broken,
          after: { ...broken, refunded_amount: 1 },
          ...(reason !== undefined && { reason }),
        },
      },
      1,
    );
  expect(eventChanges('conversion', updated('broken')).reason).toBe('broken');
  expect(eventChanges('conversion', updated(null)).reason).toBeNull();
  // the approval by a program does not say
  expect(eventChanges('conversion', updated()).reason).toBeNull();
});

it('the changes to a program have the reason that its event holds', () => {
  const before = {
    name: 'Spring',
    status: 'active',
    terms: null,
    terms_version: 0,
    affiliate_approval: 'manual',
    conversion_approval: 'manual',
    minimum_payout: {},
    metadata: {},
  } as const;
  const { program_id } = about;
  const updated = (reason: string | null) =>
    recorded(
      {
        type: 'program.updated',
        data: { program_id, before, after: { ...before, status: 'archived' }, reason },
      },
      1,
    );
  const changes = [{ path: '/status', before: 'active', after: 'archived' }];
  expect(eventChanges('program', updated('over'))).toEqual({ reason: 'over', changes });
  expect(eventChanges('program', updated(null))).toEqual({ reason: null, changes });
});
