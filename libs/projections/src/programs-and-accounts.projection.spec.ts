import { accountSchema, type DomainEvent } from '@refledger/contracts';
import { documentsOf, minute, record } from '../test/history.js';
import { accountFromDocument, accountsProjection } from './accounts.projection.js';
import { programKey, programsProjection } from './programs.projection.js';

const registered: DomainEvent = { type: 'program.registered', data: { program_id: 'prog_spring' } };

it('keeps programs of two accounts apart that chose the same id', () => {
  const [one, two] = ['acct_1', 'acct_2'].map((account) =>
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

it('keeps accounts as the API shows them, without their salt', () => {
  const created: DomainEvent = {
    type: 'account.created',
    data: { account_id: 'acct_9', name: 'Acme', salt: '00' },
  };
  const document = documentsOf(
    accountsProjection,
    record([{ stream: 'refledger.a', event: created }]),
  ).get('acct_9')!;

  expect(accountFromDocument(document)).toEqual({
    id: 'acct_9',
    object: 'account',
    name: 'Acme',
    created_at: minute(1),
  });
  expect(Object.keys(document).sort()).toEqual(Object.keys(accountSchema.shape).sort());
});
