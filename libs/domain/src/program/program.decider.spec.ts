import {
  programSchema,
  type NewProgram,
  type ProgramEvent,
  type ProgramFields,
  type Terms,
  type UpdateProgram,
} from '@refledger/contracts';
import fc from 'fast-check';
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
import { newTermsArbitrary } from '../../test/terms.js';
import { maxRevisions } from '../revision-limit.js';
import { programRecord } from './program.aggregate.js';
import { programDecider, type ProgramCommand } from './program.decider.js';

const program_id = 'prog_spring';
const terms: Terms = { type: 'percentage', rate_bps: 2000, recurring: 'every', hold_days: 30 };
const fields: ProgramFields = {
  name: 'Spring',
  status: 'active',
  terms,
  terms_version: 1,
  affiliate_approval: 'manual',
  conversion_approval: 'automatic',
  minimum_payout: { USD: 5000 },
  metadata: { a: '1', b: '2' },
};
const wanted: NewProgram = {
  name: ' Spring ',
  terms: { type: 'percentage', rate_bps: 2000 },
  conversion_approval: 'automatic',
  minimum_payout: { usd: 5000 },
  metadata: { b: '2', a: '1' },
};
const bare: ProgramFields = {
  name: program_id,
  status: 'active',
  terms: null,
  terms_version: 0,
  affiliate_approval: 'manual',
  conversion_approval: 'manual',
  minimum_payout: {},
  metadata: {},
};
const create = (program = wanted, isIdChosen = true): ProgramCommand => ({
  type: 'create',
  program_id,
  program,
  isIdChosen,
});
const register: ProgramCommand = { type: 'register', program_id };
const update = (patch: UpdateProgram): ProgramCommand => ({ type: 'update', program_id, patch });

const created = {
  type: 'program.created',
  data: { program_id, created_by: 'request', after: fields },
} as const satisfies ProgramEvent;
const createdByAffiliate = {
  type: 'program.created',
  data: { program_id, created_by: 'first_affiliate', after: bare },
} as const satisfies ProgramEvent;
const updated = (
  after: Partial<ProgramFields>,
  reason: string | null = null,
  before = fields,
): ProgramEvent => ({
  type: 'program.updated',
  data: { program_id, before, after: { ...before, ...after }, reason },
});
const none = given(programDecider);
const present = given(programDecider, created);

describe('creating a program', () => {
  it('fills in the defaults', () => {
    expect(when(programDecider, none, create({ name: program_id }))).toEqual([
      { type: 'program.created', data: { program_id, created_by: 'request', after: bare } },
    ]);
    expect(when(programDecider, none, create({ name: program_id, terms: null }))).toEqual([
      { type: 'program.created', data: { program_id, created_by: 'request', after: bare } },
    ]);
  });

  it('trims the name and stores currencies in upper case, and terms as version 1', () => {
    expect(when(programDecider, none, create())).toEqual([created]);
  });

  it('again has no effect, whatever changed since', () => {
    const changed = given(programDecider, created, updated({ name: 'Summer', status: 'archived' }));
    for (const state of [present, changed])
      expect(when(programDecider, state, create({ ...wanted, name: 'Spring' }))).toEqual([]);
  });

  it.each<Partial<NewProgram>>([
    { name: 'Summer' },
    { terms: null },
    { terms: { type: 'percentage', rate_bps: 2000, hold_days: 31 } },
    { affiliate_approval: 'automatic' },
    { conversion_approval: 'manual' },
    { minimum_payout: {} },
    { metadata: { a: '1' } },
  ])('again with another field, %j, is refused', (other) => {
    const different = { ...wanted, ...other };
    expect(refusal(() => when(programDecider, present, create(different)))).toMatchObject({
      code: 'program_exists',
      extras: { program_id },
    });
    expect(refusal(() => when(programDecider, present, create(different, false))).code).toBe(
      'idempotency_key_reused',
    );
  });

  it('that its first affiliate created is refused, even with the same fields', () => {
    const state = given(programDecider, createdByAffiliate);
    expect(refusal(() => when(programDecider, state, create({ name: program_id })))).toMatchObject({
      code: 'program_exists',
      detail: textMatching('its first affiliate'),
      extras: { program_id },
    });
  });
});

describe('registering a program with its first affiliate', () => {
  it('creates it with its id as its name, once', () => {
    expect(when(programDecider, none, register)).toEqual([createdByAffiliate]);
    for (const first of [created, createdByAffiliate])
      expect(when(programDecider, given(programDecider, first), register)).toEqual([]);
  });

  it('makes the record', () => {
    const record = programRecord(given(programDecider, createdByAffiliate));
    expect(programSchema.parse(record)).toEqual({
      id: program_id,
      object: 'program',
      ...bare,
      created_at: instantOf(0),
      updated_at: instantOf(0),
      revision: 0,
    });
  });
});

describe('changing a program', () => {
  it.each<[UpdateProgram, Partial<ProgramFields>]>([
    [{ name: ' Summer ' }, { name: 'Summer' }],
    [{ status: 'archived' }, { status: 'archived' }],
    [{ affiliate_approval: 'automatic' }, { affiliate_approval: 'automatic' }],
    [{ conversion_approval: 'manual' }, { conversion_approval: 'manual' }],
    [{ minimum_payout: { eur: 1 } }, { minimum_payout: { EUR: 1 } }],
    [{ minimum_payout: {} }, { minimum_payout: {} }],
    [{ metadata: {} }, { metadata: {} }],
    [{ terms: null }, { terms: null, terms_version: 2 }],
    [
      { terms: { type: 'flat', amounts: { usd: 1 } } },
      {
        terms: { type: 'flat', amounts: { USD: 1 }, recurring: 'every', hold_days: 30 },
        terms_version: 2,
      },
    ],
  ])('%j makes one event, with its reason', (patch, after) => {
    expect(when(programDecider, present, update({ ...patch, reason: 'why' }))).toEqual([
      updated(after, 'why'),
    ]);
    expect(when(programDecider, present, update(patch))).toEqual([updated(after)]);
  });

  it('makes one event of all changes', () => {
    const patch = { name: 'Summer', status: 'archived', terms: null } as const;
    expect(when(programDecider, present, update(patch))).toEqual([
      updated({ ...patch, terms_version: 2 }),
    ]);
  });

  it.each<UpdateProgram>([
    { name: ' Spring' },
    { status: 'active' },
    { terms: { type: 'percentage', rate_bps: 2000, recurring: 'every' } },
    { minimum_payout: { Usd: 5000 } },
    { metadata: { b: '2', a: '1' } },
  ])('to its current values, %j, has no effect, whatever the reason', (patch) => {
    expect(when(programDecider, present, update({ ...patch, reason: 'again' }))).toEqual([]);
  });

  it('leaves the terms alone when the same ones come with another change', () => {
    const patch = { name: 'Summer', terms: wanted.terms };
    expect(when(programDecider, present, update(patch))).toEqual([updated({ name: 'Summer' })]);
  });

  it('counts every change to the terms, including those back to earlier ones and to none', () => {
    const state = given(
      programDecider,
      created,
      updated({ terms: null, terms_version: 2 }),
      updated({ terms, terms_version: 3 }, null, { ...fields, terms: null, terms_version: 2 }),
    );
    expect(programRecord(state)).toMatchObject({ terms, terms_version: 3, revision: 2 });
    expect(state).toMatchObject({ termsRevisions: [0, 1, 2] });
    expect(when(programDecider, state, update({ terms: null }))).toMatchObject([
      { data: { after: { terms: null, terms_version: 4 } } },
    ]);
  });

  it('that was never created fails with not_found', () => {
    expect(refusal(() => when(programDecider, none, update({ name: 'x' }))).code).toBe('not_found');
    expect(given(programDecider, updated({}))).toEqual(none);
  });

  it('ends after 10,000 revisions, except for archiving', () => {
    const full = givenUpTo(programDecider, maxRevisions - 1, [created]);
    expect(refusal(() => when(programDecider, full, update({ name: 'x' }))).code).toBe(
      'too_many_revisions',
    );
    expect(when(programDecider, full, update({ name: 'x', status: 'archived' }))).toHaveLength(1);
    expect(when(programDecider, full, update({ name: 'Spring' }))).toEqual([]);
    const archived = givenUpTo(programDecider, maxRevisions - 1, [
      created,
      updated({ status: 'archived' }),
    ]);
    expect(refusal(() => when(programDecider, archived, update({ status: 'active' }))).code).toBe(
      'too_many_revisions',
    );
  });
});

it('obeys the laws of a decider', () => {
  const approval = fc.constantFrom('manual' as const, 'automatic' as const);
  const changeable = {
    name: textArbitrary,
    terms: fc.option(newTermsArbitrary),
    affiliate_approval: approval,
    conversion_approval: approval,
    minimum_payout: fc.constantFrom<Record<string, number>>({}, { usd: 1 }, { USD: 1 }),
    metadata: metadataArbitrary,
  };
  const commands: fc.Arbitrary<ProgramCommand> = fc.oneof(
    fc.record(changeable, { requiredKeys: ['name'] }).map((program) => create(program)),
    fc.constant(register),
    fc
      .record(
        { ...changeable, status: fc.constantFrom('active' as const, 'archived' as const) },
        { requiredKeys: [] },
      )
      .map(update),
  );
  obeysLaws(programDecider, commands, ({ state, command, event, history }) => {
    const record = programRecord(state);
    expect(programSchema.parse(record)).toEqual(record);
    expect(record).toMatchObject({
      revision: history.length - 1,
      updated_at: instantOf(history.length - 1),
    });
    expect(programDecider.decide(command, state)).toEqual([]);
    const versions = history.map(termsOf);
    expect(record).toMatchObject({
      terms_version: versions.filter((one, n) => one !== (versions[n - 1] ?? 'null')).length,
    });
    if (event.type === 'program.updated') expect(event.data.before).not.toEqual(event.data.after);
  });
});

/** The terms after an event, as text. */
const termsOf = (event: ProgramEvent): string => JSON.stringify(event.data.after.terms);
