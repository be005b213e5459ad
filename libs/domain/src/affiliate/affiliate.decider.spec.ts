import { affiliateSchema, affiliateStatuses, derivedId } from '@refledger/contracts';
import type {
  AffiliateEvent,
  AffiliateFields,
  AffiliateStatus,
  UpdateAffiliate,
} from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { decided, shownAffiliate } from '../../test/affiliate.js';
import {
  instantOf,
  given,
  givenUpTo,
  metadataArbitrary,
  obeysLaws,
  refusal,
  textMatching,
  textArbitrary,
  when,
} from '../../test/scenario.js';
import { newTermsArbitrary } from '../../test/terms.js';
import { maxRevisions } from '../revision-limit.js';
import { affiliateEvents, plainAffiliate } from '../testing/affiliate-events.js';
import {
  plainAffiliateDecider,
  type PlainAffiliateCommand,
} from '../testing/plain-affiliate-decider.js';
import { lastAffiliateRecord } from './affiliate.aggregate.js';
import type { OpenAffiliateEvent, ValuesCommand } from './affiliate-decision.js';
import { affiliateDecider } from './affiliate.decider.js';
import { erasedRecord } from './sealed-affiliate.js';
import type { NewAffiliate } from './sent-affiliate.js';

const affiliate_id = derivedId('affiliate', 'ada');
const about = { affiliate_id, program_id: 'prog_spring' } as const;
const fields: AffiliateFields = {
  email: 'Ada@example.com',
  external_id: null,
  name: 'Ada',
  status: 'pending',
  commission: null,
  commission_version: 0,
  payout_email: null,
  payout_hold: false,
  payout_hold_reason: null,
  reason: null,
  metadata: { a: '1', b: '2' },
};
const creation = {
  type: 'create',
  approval: 'manual',
  ...about,
  email: 'Ada@example.com',
  name: 'Ada',
  metadata: { a: '1', b: '2' },
} as const;
const update = (patch: UpdateAffiliate): ValuesCommand => ({
  type: 'update',
  affiliate_id,
  patch,
});

const created: OpenAffiliateEvent = {
  type: 'affiliate.created',
  data: { ...about, after: fields },
};
const turned = (
  from: AffiliateFields,
  to: Exclude<AffiliateStatus, 'pending'>,
): OpenAffiliateEvent => ({
  type: `affiliate.${to}`,
  data: { ...about, before: from, after: { ...from, status: to } },
});
const deletion = { type: 'delete', affiliate_id } as const;
/** What is recorded of the same events. */
const recorded = {
  created: affiliateEvents.created(about, fields),
  turned: (from: AffiliateFields, to: Exclude<AffiliateStatus, 'pending'>) =>
    affiliateEvents.changed(`affiliate.${to}`, about, [from, { ...from, status: to }]),
  deleted: affiliateEvents.deleted(about, fields),
};
const histories: Record<AffiliateStatus, AffiliateEvent[]> = {
  pending: [recorded.created],
  approved: [recorded.created, recorded.turned(fields, 'approved')],
  rejected: [recorded.created, recorded.turned(fields, 'rejected')],
  suspended: [
    recorded.created,
    recorded.turned(fields, 'approved'),
    recorded.turned({ ...fields, status: 'approved' }, 'suspended'),
  ],
};
const atStatus = (status: AffiliateStatus) => given(affiliateDecider, ...histories[status]);
const none = given(affiliateDecider);

describe('creating an affiliate', () => {
  it('creates it as pending, with its name trimmed', () => {
    expect(decided(none, { ...creation, name: '  Ada ' })).toEqual([created]);
  });

  it.each([['pending'], ['approved'], ['suspended']] as const)(
    'again has no effect, even if it is %s by now',
    (status) => {
      expect(
        decided(atStatus(status), {
          ...creation,
          name: ' Ada',
          metadata: { b: '2', a: '1' },
        }),
      ).toEqual([]);
    },
  );

  it('again compares with the creating request, not with the current state', () => {
    const renamed = given(
      affiliateDecider,
      recorded.created,
      affiliateEvents.changed('affiliate.updated', about, [
        fields,
        { ...fields, name: 'Countess', email: 'c@example.com' },
      ]),
    );
    expect(decided(renamed, creation)).toEqual([]);
    expect(refusal(() => decided(renamed, { ...creation, name: 'Countess' })).code).toBe(
      'idempotency_key_reused',
    );
  });

  it.each<Partial<NewAffiliate>>([
    { email: 'ada@example.com' },
    { external_id: 'user-42' },
    { name: 'Bob' },
    { program_id: 'prog_x' as const },
    { metadata: {} },
    { metadata: { a: '1', b: '3' } },
    { metadata: { a: '1', c: '2' } },
  ])('again with a different field, %j, is rejected', (other) => {
    expect(refusal(() => decided(atStatus('pending'), { ...creation, ...other }))).toMatchObject({
      code: 'idempotency_key_reused',
      detail: textMatching(affiliate_id),
      extras: {
        errors: Object.keys(other).map((field) => ({ path: `/${field}`, code: 'differs' })),
      },
    });
  });

  it('again after it was deleted has no effect, and is rejected if the request differs', () => {
    const gone = given(affiliateDecider, recorded.created, recorded.deleted);
    expect(decided(gone, creation)).toEqual([]);
    // nothing of it is shown any more
    expect(refusal(() => decided(gone, { ...creation, name: 'Bob' }))).toMatchObject({
      code: 'idempotency_key_reused',
      extras: {},
    });
  });
});

describe('creating an affiliate of a program with automatic approval', () => {
  const automatic = { ...creation, approval: 'automatic' } as const;

  it('creates it as pending and approves it, in two events', () => {
    expect(decided(none, automatic)).toEqual([created, turned(fields, 'approved')]);
  });

  it('again has no effect, even if the program or the affiliate has changed', () => {
    for (const history of Object.values(histories))
      for (const again of [automatic, creation])
        expect(decided(given(affiliateDecider, ...history), again)).toEqual([]);
  });
});

describe('the transition table', () => {
  const table: Record<AffiliateStatus, Record<AffiliateStatus, 'yes' | 'nothing' | 'refused'>> = {
    pending: { pending: 'nothing', approved: 'yes', rejected: 'yes', suspended: 'refused' },
    approved: { pending: 'refused', approved: 'nothing', rejected: 'refused', suspended: 'yes' },
    rejected: { pending: 'refused', approved: 'yes', rejected: 'nothing', suspended: 'refused' },
    suspended: { pending: 'refused', approved: 'yes', rejected: 'refused', suspended: 'nothing' },
  };
  const rows = affiliateStatuses.flatMap((from) =>
    affiliateStatuses.map((to) => ({ from, to, outcome: table[from][to] })),
  );

  it.each(rows)('$from to $to: $outcome', ({ from, to, outcome }) => {
    const decide = () => decided(atStatus(from), update({ status: to }));
    if (outcome === 'refused')
      expect(refusal(decide)).toMatchObject({
        code: 'invalid_transition',
        detail: textMatching(new RegExp(`${from}.*${to}`)),
      });
    else
      expect(decide()).toEqual(
        outcome === 'nothing' || to === 'pending' ? [] : [turned({ ...fields, status: from }, to)],
      );
  });
});

describe('changing an affiliate', () => {
  it('produces one event, of the kind of the new status, that includes the other changes', () => {
    const patch = {
      status: 'approved',
      reason: 'checked',
      name: ' Ada L. ',
      email: 'l@example.com',
      metadata: { c: '3' },
    } as const;
    expect(decided(atStatus('pending'), update(patch))).toEqual([
      {
        type: 'affiliate.approved',
        data: { ...about, before: fields, after: { ...fields, ...patch, name: 'Ada L.' } },
      },
    ]);
  });

  it('without a status produces affiliate.updated', () => {
    expect(decided(atStatus('approved'), update({ name: 'Bob' }))).toMatchObject([
      { type: 'affiliate.updated', data: { after: { name: 'Bob', status: 'approved' } } },
    ]);
  });

  it.each<UpdateAffiliate>([
    { name: ' Ada ' },
    { external_id: null },
    { email: 'Ada@example.com' },
    { metadata: { b: '2', a: '1' } },
    { status: 'approved', reason: 'again' },
  ])('to its current values, %j, has no effect', (patch) => {
    expect(decided(atStatus('approved'), update(patch))).toEqual([]);
  });

  it('treats a different letter case of the email as a change', () => {
    expect(decided(atStatus('pending'), update({ email: 'ada@example.com' }))).toHaveLength(1);
  });

  it('clears the reason with the next status, and keeps it otherwise', () => {
    const [rejected] = when(
      plainAffiliateDecider,
      atStatus('pending'),
      update({ status: 'rejected', reason: 'spam' }),
    );
    const state = given(affiliateDecider, recorded.created, present(rejected));
    expect(shownAffiliate(state)?.reason).toBe('spam');
    expect(decided(state, update({ name: 'B' }))).toMatchObject([
      { data: { after: { reason: 'spam' } } },
    ]);
    expect(decided(state, update({ status: 'approved' }))).toMatchObject([
      { data: { after: { reason: null } } },
    ]);
    expect(
      decided(state, update({ status: 'rejected', reason: 'other', name: 'B' })),
    ).toMatchObject([{ type: 'affiliate.updated', data: { after: { reason: 'spam' } } }]);
  });

  it.each([
    { state: none, why: 'never created', detail: new RegExp(`no affiliate ${affiliate_id}\\.`) },
    {
      state: given(affiliateDecider, recorded.created, recorded.deleted),
      why: 'deleted',
      detail: new RegExp(`${affiliate_id} .*deleted`),
    },
  ])('that was $why fails with not_found', ({ state, detail }) => {
    expect(refusal(() => decided(state, update({ name: 'B' })))).toMatchObject({
      code: 'not_found',
      detail: textMatching(detail),
    });
    expect(refusal(() => when(affiliateDecider, state, deletion)).code).toBe('not_found');
  });
});

describe('an affiliate at the revision limit', () => {
  const full = (status: AffiliateStatus, revisions = maxRevisions) =>
    givenUpTo(affiliateDecider, revisions - 1, histories[status]);

  it.each<UpdateAffiliate>([
    { name: 'B' },
    { email: 'b@example.com' },
    { external_id: 'user-42' },
    { metadata: {} },
  ])('rejects a change such as %j', (patch) => {
    expect(refusal(() => decided(full('approved'), update(patch)))).toMatchObject({
      code: 'too_many_revisions',
      detail: textMatching(/10000/),
    });
  });

  it('can no longer be approved; one revision earlier, it still accepts every change', () => {
    expect(refusal(() => decided(full('pending'), update({ status: 'approved' }))).code).toBe(
      'too_many_revisions',
    );
    expect(decided(full('pending', maxRevisions - 1), update({ status: 'approved' }))).toHaveLength(
      1,
    );
    expect(decided(full('pending', maxRevisions - 1), update({ name: 'B' }))).toHaveLength(1);
  });

  it('can still be rejected, suspended, deleted and erased, and accepts commands that have no effect', () => {
    expect(decided(full('pending'), update({ status: 'rejected', name: 'B' }))).toHaveLength(1);
    expect(decided(full('approved'), update({ status: 'suspended' }))).toHaveLength(1);
    expect(when(affiliateDecider, full('approved'), deletion)).toHaveLength(1);
    expect(when(affiliateDecider, full('approved'), { type: 'erase', affiliate_id })).toHaveLength(
      2,
    );
    expect(decided(full('approved'), update({ status: 'approved' }))).toEqual([]);
    expect(refusal(() => decided(full('approved'), update({ status: 'rejected' }))).code).toBe(
      'invalid_transition',
    );
  });
});

describe('the record of an affiliate', () => {
  it('has the time of the last approval, even if it is suspended afterward', () => {
    expect(shownAffiliate(atStatus('suspended'))).toEqual({
      id: affiliate_id,
      object: 'affiliate',
      program_id: 'prog_spring',
      ...fields,
      status: 'suspended',
      created_at: instantOf(0),
      approved_at: instantOf(1),
      updated_at: instantOf(2),
      revision: 2,
    });
  });

  it('is gone after a delete, while the last one remains for the webhook', () => {
    const state = given(
      affiliateDecider,
      recorded.created,
      ...when(affiliateDecider, atStatus('pending'), deletion),
    );
    expect(shownAffiliate(state)).toBeUndefined();
    expect(lastAffiliateRecord(state)).toMatchObject({
      id: affiliate_id,
      revision: 1,
      updated_at: instantOf(1),
      created_at: instantOf(0),
    });
    expect(lastAffiliateRecord(none)).toBeUndefined();
  });
});

it('obeys the laws of a decider', () => {
  const email = fc.constantFrom('a@x.io', 'A@x.io', 'b@x.io');
  const endings = fc.constantFrom('delete', 'erase');
  const moneyArbitraries = {
    commission: fc.option(newTermsArbitrary),
    payout_email: fc.option(email),
    payout_hold: fc.boolean(),
    payout_hold_reason: fc.option(textArbitrary),
  };
  const patch = fc.record(
    {
      name: textArbitrary,
      email,
      external_id: fc.option(textArbitrary),
      status: fc.constantFrom('approved', 'rejected', 'suspended'),
      reason: textArbitrary,
      metadata: metadataArbitrary,
      ...moneyArbitraries,
    },
    { requiredKeys: [] },
  );
  const commands = fc.oneof(
    fc.record({
      type: fc.constant('create'),
      approval: fc.constantFrom('manual', 'automatic'),
      affiliate_id: fc.constant(affiliate_id),
      program_id: fc.constant('prog_a'),
      email,
      external_id: fc.option(textArbitrary),
      name: textArbitrary,
      metadata: metadataArbitrary,
    }),
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('update'),
        affiliate_id: fc.constant(affiliate_id),
        patch,
      }),
    },
    { weight: 1, arbitrary: endings.map((type) => ({ type, affiliate_id })) },
  ) as fc.Arbitrary<PlainAffiliateCommand>;

  obeysLaws(plainAffiliateDecider, commands, ({ state, command, event, history }) => {
    const stored = present(lastAffiliateRecord(state));
    const record = stored.sealed === null ? erasedRecord(stored) : plainAffiliate(stored);
    expect(affiliateSchema.parse(record)).toMatchObject({
      revision: history.length - 1,
      updated_at: instantOf(history.length - 1),
      created_at: instantOf(0),
    });
    if ('after' in event.data) expect(record).toMatchObject(event.data.after);
    if (!record.payout_hold) expect(record.payout_hold_reason).toBeNull();
    if (event.type === 'affiliate.erased')
      expect(when(plainAffiliateDecider, state, command)).toEqual([]);
    if (command.type === 'create' || command.type === 'update')
      expect(decided(state, command)).toEqual([]);
  });
});
