import { accountSchema, type DomainEvent } from '@refledger/contracts';
import { documentsOf, minute, record } from '../test/history.js';
import { accountsProjection } from './accounts.projection.js';
import { programKey, programsProjection } from './programs.projection.js';

const registered: DomainEvent = { type: 'program.registered', data: { program_id: 'prog_spring' } };

it('keeps programs with the same id in two accounts apart', () => {
  const [one, two] = (['acct_1', 'acct_2'] as const).map((account) =>
    documentsOf(
      programsProjection,
      record([{ stream: 'refledger.p', event: registered }], account),
    ),
  );

  expect([...one!]).toEqual([
    [
      programKey('acct_1', 'prog_spring'),
      { account_id: 'acct_1', id: 'prog_spring', created_at: minute(1) },
    ],
  ]);
  expect([...two!.keys()]).toEqual([programKey('acct_2', 'prog_spring')]);
});

it('refuses a program without an account', () => {
  const [event] = record([{ stream: 'refledger.p', event: registered }]);
  const stray = { ...event!, metadata: { ...event!.metadata, account_id: null } };
  expect(() => programsProjection.keysOf(stray)).toThrow('program.registered has no account_id');
});

it('keeps accounts as the API shows them, without their salt', () => {
  const created: DomainEvent = {
    type: 'account.created',
    data: { account_id: 'acct_9', name: 'Acme', salt: '00' },
  };
  const document = documentsOf(
    accountsProjection,
    record([{ stream: 'refledger.a', event: created }]),
  ).get('acct_9')!;

  expect(document).toEqual({
    record: {
      id: 'acct_9',
      object: 'account',
      name: 'Acme',
      created_at: minute(1),
    },
  });
  expect(Object.keys(document.record!).sort()).toEqual(Object.keys(accountSchema.shape).sort());
});
