import { randomBytes } from 'node:crypto';
import {
  derivedId,
  type AffiliateId,
  type OpenAffiliateRecord,
  type AffiliateValues,
  type Position,
} from '@refledger/contracts';
import { storedAffiliate } from '@refledger/domain/testing';
import {
  affiliateQuery,
  Keyring,
  newSearchTerms,
  PersonalData,
  sealValues,
} from '@refledger/personal-data';
import { affiliateSearch } from '@refledger/projections';
import { AffiliateSearch } from '@refledger/queries';
import type { ReadStore } from '@refledger/read-store';
import { openSecretBox } from '@refledger/sealing';
import { SimulatedEngines, systemClock } from '@refledger/simulation';
import { present } from '@refledger/testing/present';
import { testSeed } from '@refledger/testing';
import * as fc from 'fast-check';

const accountId = derivedId('account', 'one');
const at = '2026-01-01T00:00:00.000Z';
const box = openSecretBox([randomBytes(32)]);
const keys = new SimulatedEngines(systemClock).openKeys('keys', { create: true });
const keyring = new Keyring(keys, box);
const personalData = new PersonalData(keys, box);
const makeTerms = newSearchTerms(keys, box);
const context = { caller: { accountId, keyId: 'key_1' }, minPosition: undefined } as const;
beforeAll(() => keyring.createForAccount(accountId, at));

/** What differs between affiliates. */
type Fields = Pick<
  OpenAffiliateRecord,
  'name' | 'email' | 'external_id' | 'status' | 'program_id'
> & {
  readonly minute: number;
};

const sealed = async (id: AffiliateId, { program_id, minute, ...fields }: Fields) => {
  const claim = 'refledger.claim-1';
  const key = present(await keyring.createForAffiliate({ accountId, affiliateId: id, claim, at }));
  const plain = storedAffiliate(id, fields);
  const created_at = new Date(Date.parse(at) + minute * 60_000).toISOString();
  const text = sealValues(key, JSON.parse(present(plain.sealed)) as AffiliateValues);
  return { ...plain, program_id, created_at, sealed: text };
};

/** A read store with these affiliates, as the projection stores them. */
const stored = async (affiliates: readonly Fields[]) => {
  const store = new SimulatedEngines(systemClock).openStore('models');
  const records = await Promise.all(
    affiliates.map((fields, n) => sealed(derivedId('affiliate', String(n)), fields)),
  );
  const documents = records.map((record) => ({
    account_id: accountId,
    email_hash: '',
    external_id_hash: null,
    record,
  }));
  const terms = await makeTerms(documents);
  const build = await store.createBuild(affiliateSearch, 'log', 'first');
  const position = '1' as Position;
  const changed = documents.map((document, n) => ({
    id: document.record.id,
    position,
    readPosition: undefined,
    document: { ...document, terms: present(terms[n]) },
  }));
  await store.save([
    {
      build,
      documents: new Map([['affiliate_search', changed]]),
      checkpoint: { logId: 'log', position, eventId: 'event' },
    },
  ]);
  await store.goLive(build);
  const opened = await personalData.openUnlessErased(records);
  return { store, records: opened.map((record) => present(record)) };
};

/** All pages of a search, one after another. */
const walk = async (store: ReadStore, q: string, { where, descending, size }: Walk) => {
  const search = new AffiliateSearch(
    { find: (projection, collection, query) => store.find(projection, 'log', collection, query) },
    personalData,
  );
  const query = present(affiliateQuery(await keyring.ofAccount(accountId), q));
  const ids: string[] = [];
  for (let after: readonly string[] | undefined; ;) {
    const order = { fields: ['created_at', 'id'], descending };
    const filters = [{ field: 'account_id', equals: accountId }, ...where];
    const asked = { where: filters, order, limit: size + 1, ...(after && { after }) };
    const { records, next } = await search.page(query, asked, context);
    expect(records.length).toBeLessThanOrEqual(size);
    ids.push(...records.map(({ id }) => id));
    if (next === undefined) return ids;
    after = [next.created_at, next.id];
  }
};
interface Walk {
  readonly where: readonly { readonly field: 'program_id' | 'status'; readonly equals: string }[];
  readonly descending: boolean;
  readonly size: number;
}

/** Compares the texts themselves, without terms. */
const naive = (records: readonly OpenAffiliateRecord[], q: string, { where, descending }: Walk) =>
  records
    .filter(({ id, name, email, external_id }) =>
      [id, email, external_id ?? '', ...name.split(/[ -]/)].some((text) =>
        text.toLowerCase().startsWith(q.toLowerCase()),
      ),
    )
    .filter((record) => where.every(({ field, equals }) => record[field] === equals))
    .map(({ id, created_at }) => ({ id, key: `${created_at} ${id}` }))
    .sort((a, b) => (a.key < b.key === descending ? 1 : -1))
    .map(({ id }) => id);

const word = fc.string({ unit: fc.constantFrom('a', 'B', 'é', '𠮷'), minLength: 3, maxLength: 14 });
const programs = ['prog_a', 'prog_b'] as const;
const fields: fc.Arbitrary<Fields> = fc.record({
  name: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  email: word.map((local) => `${local}@x.example`),
  external_id: fc.option(word),
  status: fc.constantFrom('pending', 'approved'),
  program_id: fc.constantFrom(...programs),
  minute: fc.nat(3),
});
const walks: fc.Arbitrary<Walk> = fc.record({
  where: fc.subarray([
    { field: 'program_id', equals: 'prog_a' },
    { field: 'status', equals: 'approved' },
  ]),
  descending: fc.boolean(),
  size: fc.integer({ min: 1, max: 4 }),
});

it('law: finds exactly the affiliates that a comparison of their open values finds', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fields, { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.integer({ min: 3, max: 14 }), walks), {
        minLength: 8,
        maxLength: 8,
      }),
      async (affiliates, searches) => {
        const { store, records } = await stored(affiliates);
        for (const [which, field, length, asked] of searches) {
          const { id, name, email, external_id } = present(records[which % records.length]);
          const text = [id, present(name.split(' ').at(-1)), email, external_id ?? email][field];
          const q = [...present(text)].slice(0, length).join('');
          const ids = await walk(store, q, asked);
          found += ids.length;
          expect(ids).toEqual(naive(records, q, asked));
        }
        await store.close();
      },
    ),
    { numRuns: 40, seed: testSeed },
  );
  expect(found).toBeGreaterThan(200);
});
