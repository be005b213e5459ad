import { randomBytes } from 'node:crypto';
import { derivedId, type AffiliateId, type StoredRecord } from '@refledger/contracts';
import { affiliateFields } from '@refledger/domain/testing';
import { present } from '@refledger/testing/present';
import {
  accountId,
  at,
  createKey,
  destroyKey,
  newKeys,
  sealedAffiliate,
  type Keys,
} from '../test/keys.js';
import { sealValues, type PersonalData } from './personal-data.js';

const [ada, bob, eve] = ['ada', 'bob', 'eve'].map((name) => derivedId('affiliate', name));
const [idA, idB, idE] = [present(ada), present(bob), present(eve)];
let keys: Keys;
beforeEach(() => void (keys = newKeys()));

const create = async (id: AffiliateId, name = 'Ada') =>
  sealedAffiliate(id, await createKey(keys, id), { name, external_id: 'user-42' });

it('opens an affiliate for a decision, with the key that seals what is decided', async () => {
  const state = await create(idA);
  const { affiliate, key } = present(await keys.personalData.openAffiliate(state));
  expect(affiliate).toMatchObject({
    kind: 'present',
    record: { ...affiliateFields, id: idA, external_id: 'user-42' },
    asCreated: { email: affiliateFields.email, external_id: 'user-42' },
  });
  const sealed = sealValues(present(key), { ...affiliateFields, name: 'B' });
  const { sealed: _, ...values } = { ...affiliateFields, name: 'B', sealed };
  const opened = await keys.personalData.openValues(idA, new Set([sealed]));
  expect(values).toMatchObject(present(opened?.get(sealed)));
});

it('opens an affiliate that does not exist without asking for a key', async () => {
  const { personalData, reads } = keys;
  expect(await personalData.openAffiliate({ kind: 'none' })).toEqual({
    affiliate: { kind: 'none' },
  });
  expect(reads).toEqual([]);
});

describe('opening several', () => {
  it('asks for all keys in one call, and for none without need', async () => {
    const states = [await create(idA, 'A'), await create(idB, 'B'), await create(idA, 'A again')];
    const records = states.map(({ record }) => record);
    const { personalData, reads } = keys;
    const opened = await personalData.openAffiliates(records);
    expect(opened.map(({ id, name }) => [id, name])).toEqual([
      [idA, 'A'],
      [idB, 'B'],
      [idA, 'A again'],
    ]);
    expect(reads).toEqual([[idA, idB]]);

    await personalData.openAffiliates([]);
    await personalData.openRecords([]);
    await personalData.openValues(idA, new Set());
    expect(reads).toHaveLength(1);
  });

  it('leaves records without personal values as they are, in their places', async () => {
    const { record } = await create(idA);
    const program = { object: 'program', id: 'prog_a' } as unknown as StoredRecord;
    const { personalData, reads } = keys;
    expect(await personalData.openRecords([program, record, program])).toEqual([
      program,
      expect.objectContaining({ ...affiliateFields, external_id: 'user-42' }),
      program,
    ]);
    expect(reads).toEqual([[idA]]);
    expect(await personalData.openRecords([program])).toEqual([program]);
    expect(reads).toHaveLength(1);
  });

  it('opens the texts of one affiliate with one call', async () => {
    const key = await createKey(keys, idA);
    const texts = ['A', 'B'].map((name) => sealValues(key, { ...affiliateFields, name }));
    const opened = await keys.personalData.openValues(idA, new Set(texts));
    expect(texts.map((text) => opened?.get(text)?.name)).toEqual(['A', 'B']);
    expect(keys.reads).toEqual([[idA]]);
  });
});

describe('of an erased affiliate', () => {
  const nulls = {
    email: null,
    external_id: null,
    name: null,
    payout_email: null,
    payout_hold_reason: null,
    reason: null,
    metadata: {},
  };

  it('nothing opens, which is no error, while others open', async () => {
    const [state, other] = [await create(idA), await create(idB, 'B')];
    await destroyKey(keys, idA);
    const { personalData } = keys;
    const { sealed, ...record } = state.record;
    const opened = await personalData.openAffiliates([state.record, other.record]);
    expect(opened).toMatchObject([{ ...record, ...nulls }, { name: 'B' }]);
    expect(JSON.stringify(opened)).not.toContain('sealed');
    expect(await personalData.openRecords([state.record])).toMatchObject([nulls]);
    expect(await personalData.openValues(idA, new Set([sealed]))).toBeUndefined();
  });

  it('a state from before is loaded again, and no new key is made', async () => {
    const state = await create(idA);
    await destroyKey(keys, idA);
    expect(await keys.personalData.openAffiliate(state)).toBeUndefined();
    const again = { accountId, affiliateId: idA, claim: 'refledger.claim-1', at } as const;
    expect(await keys.keyring.createForAffiliate(again)).toBeUndefined();
  });

  it('a state and a record after it take no key, even while the key exists', async () => {
    const state = await create(idA);
    const erased = { ...state.record, sealed: null };
    const { personalData, reads } = keys;
    const of = { kind: 'erased', record: erased, payeeRevision: 0 } as const;
    expect(await personalData.openAffiliate(of)).toMatchObject({ affiliate: { kind: 'erased' } });
    expect(await personalData.openRecords([erased])).toMatchObject([nulls]);
    expect(reads).toEqual([]);
  });
});

describe('what does not open is unavailable, and named', () => {
  const ways = (sealed: StoredRecord & { object: 'affiliate' }) =>
    [
      (on: PersonalData) => on.openAffiliates([sealed]),
      (on: PersonalData) => on.openRecords([sealed]),
      (on: PersonalData) => on.openValues(sealed.id, new Set([present(sealed.sealed)])),
    ] as const;
  const expectUnavailable = async (
    on: PersonalData,
    state: Awaited<ReturnType<typeof create>>,
    why: string,
  ): Promise<void> => {
    const refusal = {
      name: 'PersonalDataUnavailable',
      code: 'unavailable',
      message: expect.stringMatching(
        new RegExp(`${state.record.id}.*${why}|${why}.*${state.record.id}`),
      ) as string,
      // a request that fails because of it is logged with its cause
      cause: expect.any(Error) as Error,
    };
    await expect(on.openAffiliate(state)).rejects.toMatchObject(refusal);
    for (const open of ways(state.record)) await expect(open(on)).rejects.toMatchObject(refusal);
  };

  it('if its key is missing', async () => {
    const state = sealedAffiliate(idE, await createKey(newKeys(), idE));
    await create(idA);
    await expectUnavailable(keys.personalData, state, 'KEY_STORE_URL');
  });

  it('if SECRETS_KEY is another one', async () => {
    const state = await create(idA);
    const { personalData } = keys.under(randomBytes(32));
    await expectUnavailable(personalData, state, 'SECRETS_KEY lacks its key');
  });

  it('if its key is one that another store made for it', async () => {
    const state = sealedAffiliate(idA, await createKey(newKeys(keys.secrets), idA));
    await create(idA);
    await expectUnavailable(keys.personalData, state, 'altered');
  });

  it('if its text was altered', async () => {
    const state = await create(idA);
    const { sealed } = state.record;
    const at = sealed.length - 5;
    const altered = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
    const record = { ...state.record, sealed: altered };
    await expectUnavailable(keys.personalData, { ...state, record }, 'altered');
  });

  it('if its text is of another affiliate', async () => {
    const [state, other] = [await create(idA), await create(idB)];
    const record = { ...state.record, sealed: other.record.sealed };
    await expectUnavailable(keys.personalData, { ...state, record }, 'altered');
  });
});
