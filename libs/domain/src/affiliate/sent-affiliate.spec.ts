import { plainAffiliate, storedAffiliate } from '../testing/index.js';
import { differencesFromHolder } from './sent-affiliate.js';

const holder = plainAffiliate(storedAffiliate('aff_1', { external_id: 'user-42' }));
const { program_id, email, external_id, name, metadata } = holder;
const same = { program_id, email, external_id, name, metadata };

it('finds no difference in the same fields, in other forms of the address, and around a name', () => {
  expect(differencesFromHolder(same, holder)).toEqual([]);
  const other = { ...same, email: email.toUpperCase(), name: ` ${name} ` };
  expect(differencesFromHolder(other, holder)).toEqual([]);
});

it('names each other field, with null for an external id that was not sent', () => {
  const sent = { program_id, email, name: 'Grace', metadata: { tier: 'gold' } };
  expect(differencesFromHolder(sent, holder)).toMatchObject([
    { path: '/external_id', code: 'differs', sent: null, stored: external_id },
    { path: '/name', code: 'differs', sent: 'Grace', stored: name },
    { path: '/metadata', code: 'differs', sent: { tier: 'gold' }, stored: {} },
  ]);
});
