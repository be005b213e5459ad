import {
  payoutSchema,
  payoutStatuses,
  type NewPayout,
  type PayoutStatus,
  type UpdatePayout,
} from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { opened, post, posting } from '../../test/balances.js';
import { affiliate_id } from '../../test/conversions.js';
import { createPayout, now, payoutIdOf } from '../../test/payouts.js';
import {
  instantOf,
  given,
  givenUpTo,
  metadataArbitrary,
  obeysLaws,
  refusal,
  textArbitrary,
  textMatching,
  when,
} from '../../test/scenario.js';
import type { Decider } from '../decider.js';
import { maxRevisions } from '../revision-limit.js';
import { newPayout } from './new-payout.js';
import { payoutRecord } from './payout.aggregate.js';
import { payoutDecider, requireSamePayout } from './payout.decider.js';
import { payoutEndOf } from './payout-end.js';

const payout_id = payoutIdOf(1);
const balance = post(opened, [posting(1, 4000), posting(2, 300)]).state;
const sent: NewPayout = { affiliate_id, currency: 'usd', metadata: { a: '1', b: '2' } };
const created = newPayout(createPayout(balance, sent));
const update = (patch: UpdatePayout) => ({ payout_id, patch, recordedAt: now });
const none = given(payoutDecider);
const atCreation = given(payoutDecider, created);
type State = typeof none;

const changed = (state: State, ...patches: readonly UpdatePayout[]): State =>
  patches.reduce(
    (before, patch) =>
      when(payoutDecider, before, update(patch)).reduce(
        (next, event, n) =>
          payoutDecider.evolve(next, event, {
            revision: (payoutRecord(next)?.revision ?? 0) + 1 + n,
            recordedAt: now,
          }),
        before,
      ),
    state,
  );
const statusUpdate = (status: PayoutStatus): UpdatePayout =>
  status === 'failed' ? { status, reason: 'returned' } : { status };
const states: Record<PayoutStatus, State> = {
  created: atCreation,
  processing: changed(atCreation, statusUpdate('processing')),
  completed: changed(atCreation, statusUpdate('completed')),
  failed: changed(atCreation, statusUpdate('failed')),
  canceled: changed(atCreation, statusUpdate('canceled')),
};

const table: Record<PayoutStatus, Record<PayoutStatus, 'yes' | 'no event' | 409>> = {
  created: {
    created: 'no event',
    processing: 'yes',
    completed: 'yes',
    failed: 'yes',
    canceled: 'yes',
  },
  processing: {
    created: 409,
    processing: 'no event',
    completed: 'yes',
    failed: 'yes',
    canceled: 409,
  },
  completed: { created: 409, processing: 409, completed: 'no event', failed: 'yes', canceled: 409 },
  failed: { created: 409, processing: 409, completed: 409, failed: 'no event', canceled: 409 },
  canceled: { created: 409, processing: 409, completed: 409, failed: 409, canceled: 'no event' },
};

describe.each(payoutStatuses)('a payout that is %s', (from) => {
  it.each(payoutStatuses.map((status) => [status, table[from][status]] as const))(
    'to %s: %s',
    (status, expected) => {
      const change = () => when(payoutDecider, states[from], update(statusUpdate(status)));
      if (expected === 409)
        expect(refusal(change)).toMatchObject({
          code: 'invalid_transition',
          detail: textMatching(`${payout_id} is ${from} and cannot become ${status}.`),
        });
      else
        expect(change().map(({ type }) => type)).toEqual(
          expected === 'yes' ? [`payout.${status}`] : [],
        );
    },
  );
});

it('shows what was decided', () => {
  expect(payoutSchema.parse(payoutRecord(atCreation))).toMatchObject({
    id: payout_id,
    status: 'created',
    amount: 4300,
    entry_count: 2,
    chain: balance.chain,
    completed_at: null,
    created_at: instantOf(0),
    revision: 0,
  });
});

it('says what a payout can still become', () => {
  const detail = (from: PayoutStatus) =>
    refusal(() => when(payoutDecider, states[from], update(statusUpdate('canceled')))).detail;
  expect(detail('processing')).toMatch('It can become completed or failed.');
  expect(detail('failed')).toMatch('make another payout.');
});

describe('changing a payout', () => {
  it('makes one event of all changes, named after the status', () => {
    const patch = { ...statusUpdate('completed'), reference: 'PP-1', metadata: {} };
    const [event, ...others] = when(payoutDecider, atCreation, update(patch));
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: 'payout.completed',
      data: {
        before: created.data.after,
        after: { status: 'completed', reference: 'PP-1', metadata: {}, completed_at: now },
      },
    });
  });

  it('without a status is payout.updated', () => {
    const events = when(payoutDecider, states.completed, update({ reference: 'PP-1' }));
    expect(events).toMatchObject([
      { type: 'payout.updated', data: { after: { reference: 'PP-1' } } },
    ]);
  });

  it('to its current values has no effect', () => {
    const patch = { status: 'created', metadata: { b: '2', a: '1' } } as const;
    expect(when(payoutDecider, atCreation, update(patch))).toEqual([]);
    const again = { status: 'failed', reason: 'another' } as const;
    expect(when(payoutDecider, states.failed, update(again))).toEqual([]);
  });

  it('keeps the reason until the status changes again', () => {
    const reasons = [
      changed(atCreation, { status: 'processing', reason: 'sent' }, { metadata: {} }),
      changed(atCreation, { status: 'processing', reason: 'sent' }, statusUpdate('completed')),
    ].map((state) => payoutRecord(state)?.reason);
    expect(reasons).toEqual(['sent', null]);
  });

  it('that was never created fails with not_found', () => {
    expect(refusal(() => when(payoutDecider, none, update({ metadata: {} })))).toMatchObject({
      code: 'not_found',
      detail: textMatching(payout_id),
    });
  });

  it('ends after 10,000 revisions, except for its status', () => {
    const full = givenUpTo(payoutDecider, maxRevisions - 1, [created]);
    expect(refusal(() => when(payoutDecider, full, update({ metadata: {} }))).code).toBe(
      'too_many_revisions',
    );
    for (const status of ['processing', 'completed', 'failed', 'canceled'] as const)
      expect(
        when(payoutDecider, full, update({ ...statusUpdate(status), metadata: {} })),
      ).toHaveLength(1);
    const [processing] = when(payoutDecider, atCreation, update({ status: 'processing' }));
    const sent = givenUpTo(payoutDecider, maxRevisions - 1, [created, present(processing)]);
    expect(when(payoutDecider, sent, update({ metadata: {} }))).toHaveLength(1);
  });
});

describe('the reference', () => {
  it.each(['created', 'processing', 'completed'] as const)('can change while %s', (status) => {
    expect(when(payoutDecider, states[status], update({ reference: 'PP' }))).toHaveLength(1);
  });

  it('can come with the failure', () => {
    const state = changed(atCreation, { ...statusUpdate('failed'), reference: 'PP' });
    expect(payoutRecord(state)).toMatchObject({ status: 'failed', reference: 'PP' });
    expect(when(payoutDecider, state, update({ reference: 'PP' }))).toEqual([]);
  });

  it.each(['failed', 'canceled'] as const)('cannot change once it is %s', (status) => {
    expect(
      refusal(() => when(payoutDecider, states[status], update({ reference: 'PP' }))),
    ).toMatchObject({
      code: 'invalid_transition',
      detail: textMatching('reference cannot change'),
    });
  });
});

describe('completed_at', () => {
  it('is the time that was sent, in UTC, and stays when the payout fails later', () => {
    const completed = { status: 'completed', completed_at: '2026-02-09T12:00:00+02:00' } as const;
    const state = changed(atCreation, completed, statusUpdate('failed'));
    expect(payoutRecord(state)).toMatchObject({
      status: 'failed',
      completed_at: '2026-02-09T10:00:00.000Z',
    });
  });

  it.each<[string, UpdatePayout]>([
    ['too_late', { status: 'completed', completed_at: '2026-02-10T10:00:00.001Z' }],
    ['without_completed', { completed_at: now }],
    ['without_completed', { status: 'processing', completed_at: now }],
  ])('is refused as %s with %j', (code, patch) => {
    expect(refusal(() => when(payoutDecider, atCreation, update(patch)))).toMatchObject({
      code: 'validation_failed',
      extras: { errors: [{ path: '/completed_at', code }] },
    });
  });

  it('is that of a mark of its run, even if the clock was set back since', () => {
    const completed_at = '2026-02-11T00:00:00.000Z';
    const marked = { ...update({ status: 'completed', completed_at }), mark: 1 };
    expect(when(payoutDecider, atCreation, marked)).toMatchObject([
      { type: 'payout.completed', data: { mark: 1, after: { completed_at } } },
    ]);
  });
});

describe('creating it again', () => {
  const again = (change: Partial<NewPayout>) => {
    if (atCreation.kind === 'present') requireSamePayout({ ...sent, ...change }, atCreation);
  };

  it.each<Partial<NewPayout>>([{}, { currency: 'USD' }, { partial: false }])(
    'with %j is the same request',
    (change) => {
      expect(() => again(change)).not.toThrow();
    },
  );

  it.each<Partial<NewPayout>>([
    { affiliate_id: 'aff_other' },
    { currency: 'EUR' },
    // the very day that it was given by default
    { until: '2026-02-10' },
    { ignore_minimum: true },
    { partial: true },
    { even_if_not_approved: true },
    { description: 'x' },
    { metadata: {} },
  ])('with %j is refused', (change) => {
    expect(refusal(() => again(change)).code).toBe('idempotency_key_reused');
  });
});

it('tells its balance how it ended, and nothing else', () => {
  const { payout_id, amount, buckets, currency } = created.data;
  const endTo = (status: PayoutStatus) =>
    when(payoutDecider, atCreation, update(statusUpdate(status))).map(payoutEndOf);
  expect(endTo('completed')).toMatchObject([
    { about: { currency }, payout: { payout_id, amount, became: 'completed' } },
  ]);
  for (const became of ['failed', 'canceled'] as const)
    expect(endTo(became)).toMatchObject([{ payout: { payout_id, amount, became, buckets } }]);
  expect([...endTo('processing'), payoutEndOf(created)]).toEqual([undefined, undefined]);
  const updated = when(payoutDecider, atCreation, update({ metadata: {} }));
  expect(updated.map(payoutEndOf)).toEqual([undefined]);
});

it('obeys the laws of a decider', () => {
  const begun: Decider<
    ReturnType<typeof update>,
    State,
    Parameters<typeof payoutDecider.evolve>[1]
  > = { ...payoutDecider, initial: atCreation };
  const commands = fc
    .record(
      {
        status: fc.constantFrom(...payoutStatuses),
        reason: textArbitrary,
        reference: textArbitrary,
        completed_at: fc.constantFrom(now, '2026-02-11T00:00:00Z'),
        metadata: metadataArbitrary,
      },
      { requiredKeys: ['reason'] },
    )
    .map(update);
  obeysLaws(begun, commands, ({ state, command, event, history }) => {
    if (event.type === 'payout.created') throw new Error('expected a change');
    const record = payoutSchema.parse(payoutRecord(state));
    expect(record).toMatchObject({ ...event.data.after, amount: 4300, created_at: instantOf(0) });
    expect(record.revision).toBe(history.length - 1);
    expect(payoutDecider.decide(command, state)).toEqual([]);
  });
});
