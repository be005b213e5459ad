import { randomBytes } from 'node:crypto';
import { derivedId, streams } from '@refledger/contracts';
import { lostKey } from '@refledger/key-store';
import { present } from '@refledger/testing/present';
import { accountId, at, createKey, destroyKey, newKeys, type Keys } from '../test/keys.js';
import { emailHashOf, externalIdHashOf } from './affiliate-hashes.js';

const ada = derivedId('affiliate', 'ada');
let keys: Keys;
beforeEach(() => void (keys = newKeys()));

describe('the key of an affiliate', () => {
  it('is stored wrapped, with the account, the claim and the time of the command', async () => {
    await createKey(keys, ada);
    const rows = [];
    for await (const page of keys.store.scan()) rows.push(...page);
    const key: unknown = expect.stringMatching(/^v1\./);
    expect(rows).toEqual([
      { owner: ada, accountId, claims: ['refledger.claim-1'], putAt: at, kind: 'key', key },
    ]);
  });

  it('is one, whichever of two requests at the same time makes it', async () => {
    const [first, second] = await Promise.all([createKey(keys, ada), createKey(keys, ada)]);
    expect(first.open('values', second.seal('values', 'a'))).toBe('a');
    expect(second.open('values', first.seal('values', 'b'))).toBe('b');
    const later = await createKey(keys, ada);
    expect(later.open('values', first.seal('values', 'c'))).toBe('c');
  });

  it('opens nothing of another affiliate', async () => {
    const bob = await createKey(keys, derivedId('affiliate', 'bob'));
    const sealed = (await createKey(keys, ada)).seal('values', 'a');
    expect(() => bob.open('values', sealed)).toThrow('altered');
  });

  it('is not made again once it is erased', async () => {
    await createKey(keys, ada);
    await destroyKey(keys, ada);
    const again = { accountId, affiliateId: ada, claim: streams.claim('1'), at };
    expect(await keys.keyring.createForAffiliate(again)).toBeUndefined();
  });

  it('that was lost is unavailable, and is not replaced', async () => {
    await keys.store.put(ada, { accountId, key: lostKey, claim: null, at });
    await expect(createKey(keys, ada)).rejects.toMatchObject({ code: 'unavailable' });
    expect((await keys.store.getMany([ada])).get(ada)).toEqual({ kind: 'key', key: lostKey });
  });

  it('that another request made under lost secrets is unavailable', async () => {
    await createKey(keys, ada);
    await expect(createKey(keys.under(randomBytes(32)), ada)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(new RegExp(`${ada}.*SECRETS_KEY`)) as string,
    });
  });
});

describe('the keys of an account', () => {
  it('are the same on every gateway, and are read once', async () => {
    await keys.keyring.createForAccount(accountId, at);
    const one = await keys.keyring.ofAccount(accountId);
    const other = await keys.under(...keys.secrets).keyring.ofAccount(accountId);
    expect(other.hash('email', 'a')).toBe(one.hash('email', 'a'));
    await keys.keyring.ofAccount(accountId);
    expect(keys.reads).toEqual([[accountId]]);
  });

  it('never change, even if the account is created again', async () => {
    await keys.keyring.createForAccount(accountId, at);
    const hash = (await keys.keyring.ofAccount(accountId)).hash('email', 'a');
    const again = keys.under(...keys.secrets).keyring;
    await again.createForAccount(accountId, at);
    expect((await again.ofAccount(accountId)).hash('email', 'a')).toBe(hash);
  });

  it('that are missing are unavailable, until they are restored', async () => {
    await expect(keys.keyring.ofAccount(accountId)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(new RegExp(`KEY_STORE_URL.*${accountId}`)) as string,
    });
    await keys.keyring.createForAccount(accountId, at);
    expect(await keys.keyring.ofAccount(accountId)).toBeDefined();
  });

  it('open under an older key of SECRETS_KEY, and not without it', async () => {
    await keys.keyring.createForAccount(accountId, at);
    const next = randomBytes(32);
    const rotated = keys.under(next, present(keys.secrets[0])).keyring;
    expect(await rotated.ofAccount(accountId)).toBeDefined();
    await expect(keys.under(next).keyring.ofAccount(accountId)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(new RegExp(`${accountId}.*SECRETS_KEY`)) as string,
    });
  });
});

describe('the hashes of an affiliate', () => {
  const hashes = async (account = accountId) => {
    await keys.keyring.createForAccount(account, at);
    return keys.keyring.ofAccount(account);
  };

  it('are the same for any form of an address, and for no other address', async () => {
    const account = await hashes();
    const forms = ['jörg@bücher.example', 'JO\u0308RG@xn--bcher-kva.example'];
    expect(new Set(forms.map((email) => emailHashOf(account, email))).size).toBe(1);
    expect(emailHashOf(account, 'jorg@bücher.example')).not.toBe(
      emailHashOf(account, present(forms[0])),
    );
  });

  it('tell external ids apart by every character', async () => {
    const account = await hashes();
    const ids = ['user-42', 'User-42', 'user-42 ', 'user-4'];
    expect(new Set(ids.map((id) => externalIdHashOf(account, id))).size).toBe(4);
  });

  it('differ between fields and between accounts', async () => {
    const [one, two] = [await hashes(), await hashes(derivedId('account', 'two'))];
    expect(emailHashOf(one, 'a@x.io')).not.toBe(emailHashOf(two, 'a@x.io'));
    expect(emailHashOf(one, 'a@x.io')).not.toBe(externalIdHashOf(one, 'a@x.io'));
  });
});
