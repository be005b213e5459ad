import {
  accountSchema,
  programSchema,
  type DomainEvent,
  type ProgramFields,
} from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import { documentsOf, minute, record } from '../test/history.js';
import { accountsProjection } from './accounts.projection.js';
import { programKey, programsProjection } from './programs.projection.js';

const bare: ProgramFields = {
  name: 'prog_spring',
  status: 'active',
  terms: null,
  terms_version: 0,
  affiliate_approval: 'manual',
  conversion_approval: 'manual',
  minimum_payout: {},
  metadata: {},
};
const archived: ProgramFields = {
  ...bare,
  name: 'Spring',
  status: 'archived',
  terms: { type: 'flat', amounts: { USD: 500 }, recurring: 'first', hold_days: 0 },
  terms_version: 1,
};
const created: DomainEvent = {
  type: 'program.created',
  data: { program_id: 'prog_spring', created_by: 'request', after: bare },
};
const updated: DomainEvent = {
  type: 'program.updated',
  data: { program_id: 'prog_spring', before: bare, after: archived, reason: null },
};
const documentAfter = (...events: readonly DomainEvent[]) =>
  documentsOf(
    programsProjection,
    record(events.map((event) => ({ stream: 'refledger.p', event }))),
  ).get(programKey('acct_1', 'prog_spring'));

it('keeps a program as the API shows it', () => {
  const document = present(documentAfter(created));
  expect(document).toEqual({
    account_id: 'acct_1',
    has_terms: false,
    record: {
      id: 'prog_spring',
      object: 'program',
      ...bare,
      created_at: minute(1),
      updated_at: minute(1),
      revision: 0,
    },
  });
  expect(Object.keys(present(document.record))).toEqual(Object.keys(programSchema.shape));
});

it('follows every change to a program', () => {
  expect(documentAfter(created, updated)).toMatchObject({
    account_id: 'acct_1',
    has_terms: true,
    record: { ...archived, created_at: minute(1), updated_at: minute(2), revision: 1 },
  });
});

it('keeps programs with the same id in two accounts apart', () => {
  const [one, two] = (['acct_1', 'acct_2'] as const).map((account) =>
    documentsOf(programsProjection, record([{ stream: 'refledger.p', event: created }], account)),
  );

  expect([...present(one).keys()]).toEqual([programKey('acct_1', 'prog_spring')]);
  expect([...present(two).keys()]).toEqual([programKey('acct_2', 'prog_spring')]);
});

it('refuses a program without an account', () => {
  const event = present(record([{ stream: 'refledger.p', event: created }])[0]);
  const stray = { ...event, metadata: { ...event.metadata, account_id: null } };
  expect(() => programsProjection.keysOf(stray)).toThrow('program.created has no account_id');
});

it('keeps accounts as the API shows them', () => {
  const created: DomainEvent = {
    type: 'account.created',
    data: { account_id: 'acct_9', name: 'Acme' },
  };
  const document = present(
    documentsOf(accountsProjection, record([{ stream: 'refledger.a', event: created }])).get(
      'acct_9',
    ),
  );

  expect(document).toEqual({
    record: {
      id: 'acct_9',
      object: 'account',
      name: 'Acme',
      created_at: minute(1),
    },
  });
  expect(Object.keys(present(document.record)).sort()).toEqual(
    Object.keys(accountSchema.shape).sort(),
  );
});
