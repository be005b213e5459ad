import {
  derivedId,
  payoutRunSchema,
  type NewPayoutRun,
  type PayoutRunEvent,
  type Position,
  type SkippedBalances,
  type UpdatePayoutRun,
} from '@refledger/contracts';
import fc from 'fast-check';
import {
  given,
  givenUpTo,
  metadataArbitrary,
  obeysLaws,
  refusal,
  textArbitrary,
  textMatching,
  when,
} from '../../test/scenario.js';
import { now, today } from '../../test/payouts.js';
import { maxRevisions } from '../revision-limit.js';
import { payoutRunRecord } from './payout-run.aggregate.js';
import {
  payoutRunDecider,
  type PayoutRunCommand,
  type PayoutRunState,
} from './payout-run.decider.js';

const run_id = derivedId('run', '1');
const affiliate_ids = [derivedId('affiliate', '1')];
const about = { run_id, recordedAt: now } as const;
const start = (run: NewPayoutRun = {}): PayoutRunCommand => ({
  ...about,
  type: 'start',
  run,
  position: '7' as Position,
});
const update = (patch: UpdatePayoutRun): PayoutRunCommand => ({ ...about, type: 'update', patch });
const skipped: SkippedBalances = {
  nothing_payable: 4,
  not_approved: 0,
  payout_hold: 0,
  below_minimum: 0,
  too_many_open_payouts: 0,
  too_many_ranges: 0,
};
const totals = [{ currency: 'USD', payouts: 2, amount: '500' }];
const finish: PayoutRunCommand = { ...about, type: 'finish', created: 2, skipped, totals };
const applied = (mark: number, changed = 2): PayoutRunCommand => ({
  ...about,
  type: 'mark_applied',
  mark,
  changed,
  left: 0,
});

const none = given(payoutRunDecider);
/** The state after these commands, one after another. */
const stateAfter = (...commands: readonly PayoutRunCommand[]): PayoutRunState => {
  const events: PayoutRunEvent[] = [];
  for (const command of commands)
    events.push(...when(payoutRunDecider, given(payoutRunDecider, ...events), command));
  return given(payoutRunDecider, ...events);
};

describe('starting a run', () => {
  it('takes everything that is payable today, unless it says otherwise', () => {
    expect(when(payoutRunDecider, none, start())).toMatchObject([
      {
        type: 'payout_run.started',
        data: {
          run_id,
          program_id: null,
          currency: null,
          affiliate_ids: null,
          until: today,
          reported_until: null,
          ignore_minimum: false,
          position: '7',
          after: { status: 'running', payouts: { created: 0, skipped: null }, marks: [] },
        },
      },
    ]);
    const narrow: NewPayoutRun = {
      program_id: 'prog_spring',
      currency: 'usd',
      affiliate_ids,
      until: '2026-01-31',
      ignore_minimum: true,
      description: 'January',
      metadata: { a: '1' },
    };
    expect(payoutRunRecord(stateAfter(start(narrow)))).toMatchObject({
      ...narrow,
      currency: 'USD',
    });
  });

  it('is refused for a day in the future', () => {
    expect(
      refusal(() => when(payoutRunDecider, none, start({ until: '2026-02-11' }))),
    ).toMatchObject({ extras: { errors: [{ path: '/until', code: 'too_late' }] } });
  });

  it('again is the same run, however far it has got', () => {
    for (const state of [
      stateAfter(start({ currency: 'USD' })),
      stateAfter(start({ currency: 'USD' }), finish),
    ])
      expect(when(payoutRunDecider, state, start({ currency: 'usd', metadata: {} }))).toEqual([]);
  });

  it.each<NewPayoutRun>([
    { program_id: 'prog_spring' },
    { currency: 'EUR' },
    { affiliate_ids },
    // the very day that it was given by default
    { until: today },
    { ignore_minimum: true },
    { description: 'x' },
    { metadata: { a: '1' } },
  ])('again, but with %j, is refused', (run) => {
    expect(refusal(() => when(payoutRunDecider, stateAfter(start()), start(run))).code).toBe(
      'idempotency_key_reused',
    );
  });
});

describe('finishing a run', () => {
  it('keeps what it counted', () => {
    expect(payoutRunRecord(stateAfter(start(), finish))).toMatchObject({
      status: 'finished',
      payouts: { created: 2, skipped },
      totals: [{ currency: 'USD', payouts: 2, amount: 500n }],
      finished_at: now,
      revision: 1,
    });
  });

  it('shows a total exactly that no number can hold', () => {
    const large = [{ currency: 'USD', payouts: 2, amount: '9007199254740993' }];
    const ended = { ...finish, totals: large } as PayoutRunCommand;
    expect(payoutRunRecord(stateAfter(start(), ended))?.totals).toEqual([
      { currency: 'USD', payouts: 2, amount: 9_007_199_254_740_993n },
    ]);
  });

  it('happens once', () => {
    const again = { ...finish, created: 3 } as PayoutRunCommand;
    expect(when(payoutRunDecider, stateAfter(start(), finish), again)).toEqual([]);
  });
});

describe('marking the payouts of a run', () => {
  it.each(['processing', 'completed', 'canceled'] as const)('as %s is recorded once', (status) => {
    const state = stateAfter(start(), finish, update({ status, reason: 'why' }));
    expect(state).toMatchObject({
      record: { marks: [{ status, at: now, applied_at: null, changed: 0, left: 0 }] },
      marks: [{ status, reason: 'why', completed_at: status === 'completed' ? now : null }],
    });
    expect(when(payoutRunDecider, state, update({ status, reason: 'again' }))).toEqual([]);
  });

  it('keeps the time of completion that was sent, in UTC', () => {
    const patch = { status: 'completed', completed_at: '2026-02-09T12:00:00+02:00' } as const;
    expect(stateAfter(start(), finish, update(patch))).toMatchObject({
      marks: [{ completed_at: '2026-02-09T10:00:00.000Z' }],
    });
  });

  it('is refused while it is running, except as canceled', () => {
    const running = stateAfter(start());
    for (const status of ['processing', 'completed'] as const)
      expect(refusal(() => when(payoutRunDecider, running, update({ status })))).toMatchObject({
        code: 'invalid_transition',
        detail: textMatching('Wait until it is finished, or cancel it.'),
      });
    expect(when(payoutRunDecider, running, update({ status: 'canceled' }))).toHaveLength(1);
  });

  it('counts what it changed once it is applied, which happens once', () => {
    const marked = stateAfter(start(), finish, update({ status: 'processing' }));
    const state = stateAfter(start(), finish, update({ status: 'processing' }), applied(1));
    expect(payoutRunRecord(state)?.marks).toEqual([
      { status: 'processing', at: now, applied_at: now, changed: 2, left: 0 },
    ]);
    expect(when(payoutRunDecider, state, applied(1, 9))).toEqual([]);
    expect(when(payoutRunDecider, marked, applied(2))).toEqual([]);
  });

  it('can come with other changes, in one event', () => {
    const patch = { status: 'processing', description: 'x', metadata: { a: '1' } } as const;
    const [event, ...others] = when(payoutRunDecider, stateAfter(start(), finish), update(patch));
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: 'payout_run.marked',
      data: { after: { description: 'x', metadata: { a: '1' }, marks: [{}] } },
    });
  });

  it.each<[string, UpdatePayoutRun]>([
    ['too_late', { status: 'completed', completed_at: '2026-02-10T10:00:00.001Z' }],
    ['without_completed', { completed_at: now }],
    ['without_completed', { status: 'processing', completed_at: now }],
  ])('is refused as %s with %j', (code, patch) => {
    const state = stateAfter(start(), finish);
    expect(refusal(() => when(payoutRunDecider, state, update(patch)))).toMatchObject({
      extras: { errors: [{ path: '/completed_at', code }] },
    });
  });
});

describe('changing a run', () => {
  it('is payout_run.updated, and nothing if nothing changes', () => {
    const state = stateAfter(start());
    expect(when(payoutRunDecider, state, update({ metadata: { a: '1' } }))).toMatchObject([
      {
        type: 'payout_run.updated',
        data: { before: { metadata: {} }, after: { description: null } },
      },
    ]);
    expect(when(payoutRunDecider, state, update({ metadata: {} }))).toEqual([]);
  });

  it('that was never started fails with not_found', () => {
    expect(refusal(() => when(payoutRunDecider, none, update({ metadata: {} })))).toMatchObject({
      code: 'not_found',
      detail: textMatching(run_id),
    });
  });

  it('ends after 10,000 revisions, except for marks and its end', () => {
    const full = givenUpTo(
      payoutRunDecider,
      maxRevisions - 1,
      when(payoutRunDecider, none, start()),
    );
    expect(refusal(() => when(payoutRunDecider, full, update({ metadata: { a: '1' } }))).code).toBe(
      'too_many_revisions',
    );
    for (const command of [finish, update({ status: 'canceled' })])
      expect(when(payoutRunDecider, full, command)).toHaveLength(1);
  });
});

it('obeys the laws of a decider', () => {
  const commands = fc.oneof(
    fc
      .record(
        {
          status: fc.constantFrom('processing' as const, 'completed' as const, 'canceled' as const),
          reason: textArbitrary,
          description: textArbitrary,
          metadata: metadataArbitrary,
        },
        { requiredKeys: [] },
      )
      .map(update),
    fc.constant(finish),
    fc.integer({ min: 1, max: 3 }).map((mark) => applied(mark)),
  );
  const begun = { ...payoutRunDecider, initial: stateAfter(start()) };
  obeysLaws(begun, commands, ({ state, command, history }) => {
    const record = payoutRunSchema.parse(payoutRunRecord(state));
    expect(record.revision).toBe(history.length - 1);
    expect(record.marks.length).toBeLessThanOrEqual(3);
    expect(payoutRunDecider.decide(command, state)).toEqual([]);
  });
});
