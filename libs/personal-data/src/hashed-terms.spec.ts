import { derivedId, eventIdOf, type Position } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import { accountId, at, createKey, newKeys, sealedAffiliate, type Keys } from '../test/keys.js';
import { affiliateQuery } from './hashed-terms.js';
import { termsOf } from './search-terms.js';

const [ada, bob] = ['ada', 'bob'].map((name) => derivedId('affiliate', name));
const [idA, idB] = [present(ada), present(bob)];
let keys: Keys;
beforeEach(async () => {
  keys = newKeys();
  await keys.keyring.createForAccount(accountId, at);
});

const create = async (id: typeof idA, name: string) => ({
  account_id: accountId,
  record: sealedAffiliate(id, await createKey(keys, id), { name, external_id: 'user-42' }).record,
});

it('are hashes of the terms under the key of the account, made with one call for all keys', async () => {
  const affiliates = [await create(idA, 'Ada'), await create(idB, 'Bob')];
  const account = await keys.keyring.ofAccount(accountId);
  const opened = await keys.personalData.openUnlessErased(affiliates.map(({ record }) => record));
  keys.reads.length = 0;
  expect(await keys.makeTerms(affiliates)).toEqual(
    opened.map((values) => [...termsOf(present(values))].map((term) => account.hash('q', term))),
  );
  expect(keys.reads).toEqual([[idA, idB], [accountId]]);
});

it('include those of each query that finds the affiliate, and of no other account', async () => {
  const affiliate = await create(idA, 'Ada Lovelace');
  const [terms = []] = await keys.makeTerms([affiliate]);
  const account = await keys.keyring.ofAccount(accountId);
  const found = (q: string, by = account) =>
    affiliateQuery(by, q)?.terms.some((term) => terms.includes(term));
  for (const q of ['ADA', 'lovelace', 'user-4', idA]) expect([q, found(q)]).toEqual([q, true]);
  for (const q of ['byron', 'usr-42', idB]) expect([q, found(q)]).toEqual([q, false]);
  const other = derivedId('account', 'other');
  await keys.keyring.createForAccount(other, at);
  expect(found('ada', await keys.keyring.ofAccount(other))).toBe(false);
  expect(affiliateQuery(account, 'ad')).toBeNull();
});

it('are missing for an erased affiliate, and only for that one', async () => {
  const affiliates = [await create(idA, 'Ada'), await create(idB, 'Bob')];
  await keys.store.destroy(idA, {
    accountId,
    eventId: eventIdOf('00000000-0000-4000-8000-000000000000', 'stream', 0, 1),
    position: '1' as Position,
    erasedAt: at,
  });
  const [erased, other] = await keys.makeTerms(affiliates);
  expect(erased).toBeUndefined();
  expect(other?.length).toBeGreaterThan(3);
});

it('are unavailable if a key is missing, of the affiliate or of the account', async () => {
  const lost = sealedAffiliate(idB, await createKey(newKeys(), idB)).record;
  await expect(keys.makeTerms([{ account_id: accountId, record: lost }])).rejects.toMatchObject({
    name: 'PersonalDataUnavailable',
    message: expect.stringContaining(idB) as string,
  });
  const { record } = await create(idA, 'Ada');
  const account_id = derivedId('account', 'other');
  await expect(keys.makeTerms([{ account_id, record }])).rejects.toMatchObject({
    name: 'PersonalDataUnavailable',
    message: expect.stringContaining(account_id) as string,
  });
});
