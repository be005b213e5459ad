import { randomBytes } from 'node:crypto';
import {
  derivedId,
  type AffiliateId,
  type Position,
  type ResponseExcerpt,
} from '@refledger/contracts';
import { openKey, openSecretBox } from '@refledger/sealing';
import { present } from '@refledger/testing/present';
import { accountId, at, createKey, newKeys, type Keys } from '../test/keys.js';
import { DeliveryTexts, type DeliveryOwner } from './delivery-texts.js';

const [ada, bob] = [derivedId('affiliate', 'ada'), derivedId('affiliate', 'bob')];
const about = (objectId: AffiliateId) =>
  ({ accountId, eventType: 'affiliate.updated', objectId, trigger: 'event' }) as const;
const sale = {
  accountId,
  eventType: 'conversion.created',
  objectId: derivedId('conversion', 'one'),
  trigger: 'event',
} as const;
const response: ResponseExcerpt = {
  headers: [['x-echo', 'Ada']],
  body: 'Hello Ada, 😀',
  isTruncated: true,
};

let keys: Keys;
beforeEach(async () => {
  keys = newKeys();
  await keys.keyring.createForAccount(accountId, at);
  for (const id of [ada, bob]) await createKey(keys, id);
});

const erase = (id: AffiliateId) =>
  keys.store.destroy(id, {
    accountId,
    eventId: '3f1c6a52-0000-4000-8000-000000000007',
    position: '7' as Position,
    erasedAt: at,
  });
const sealedBody = async (owner: DeliveryOwner, body: string) =>
  present((await keys.texts.sealBodies([{ ...owner, body }]))[0]).body;

it('seals the bodies of a batch with their keys in one call, and leaves others as they are', async () => {
  const bodies = [
    { ...about(ada), body: 'Ada' },
    { ...sale, body: 'a sale' },
    { ...about(bob), body: 'Bob' },
    { ...about(ada), body: null },
    { ...about(ada), body: 'Ada again', trigger: 'replay' as const },
  ];
  const sealed = await keys.texts.sealBodies(bodies);
  expect(keys.reads).toEqual([[ada, bob]]);
  expect(sealed.map(({ body }) => body?.startsWith('v1.'))).toEqual([
    true,
    false,
    true,
    undefined,
    true,
  ]);
  for (const [n, { body, ...owner }] of sealed.entries())
    expect((await keys.texts.keyOf(owner)).openBody(body)).toBe(bodies[n]?.body);
});

it('needs no key for the bodies of other deliveries and of tests', async () => {
  for (const owner of [sale, { ...about(ada), trigger: 'test' } as const]) {
    expect(await sealedBody(owner, 'v1.as it is')).toBe('v1.as it is');
    const key = await keys.texts.keyOf(owner);
    expect(key.openBody('v1.as it is')).toBe('v1.as it is');
  }
  expect(keys.reads).toEqual([]);
});

it('seals a body for that use, with the key of the affiliate', async () => {
  const body = present(await sealedBody(about(ada), 'Ada'));
  const stored = (await keys.store.getMany([ada])).get(ada);
  const box = openSecretBox(keys.secrets);
  const key = openKey(box, ada, stored?.kind === 'key' ? stored.key : '');
  expect(key.open('body', body)).toBe('Ada');
});

it.each([
  ['of an affiliate with its key', about(ada), [[ada]]],
  ['of another delivery with the keys of the account', sale, [[accountId]]],
  [
    'of a test with the keys of the account',
    { ...about(ada), trigger: 'test' } as const,
    [[accountId]],
  ],
])('seals and opens the response %s', async (_, owner, reads) => {
  const key = await keys.texts.keyOf(owner);
  const sealed = present(await key.sealResponse(response));
  expect(sealed).toMatch(/^v1\.[\w-]+$/);
  expect(await key.openResponse(sealed)).toEqual(response);
  expect(keys.reads).toEqual(reads);
});

it('does not take one affiliate’s texts for another’s', async () => {
  const body = await sealedBody(about(ada), 'Ada');
  const sealed = present(await (await keys.texts.keyOf(about(ada))).sealResponse(response));
  const other = await keys.texts.keyOf(about(bob));
  expect(() => other.openBody(body)).toThrow(`The personal data of ${bob} does not open`);
  await expect(async () => other.openResponse(sealed)).rejects.toMatchObject({
    code: 'unavailable',
  });
});

it('of an erased affiliate seals and opens nothing', async () => {
  const body = await sealedBody(about(ada), 'Ada');
  const sealed = present(await (await keys.texts.keyOf(about(ada))).sealResponse(response));
  await erase(ada);
  const key = await keys.texts.keyOf(about(ada));
  expect(key.isErased).toBe(true);
  expect(key.openBody(body)).toBeNull();
  expect(await key.openResponse(sealed)).toBeNull();
  expect(await key.sealResponse(response)).toBeNull();
  const [gone, kept] = await keys.texts.sealBodies([
    { ...about(ada), body: 'Ada' },
    { ...about(bob), body: 'Bob' },
  ]);
  expect(gone?.body).toBeNull();
  expect((await keys.texts.keyOf(about(bob))).openBody(present(kept?.body))).toBe('Bob');
});

it('never takes a lost key for an erased one', async () => {
  const lost = about(derivedId('affiliate', 'lost'));
  const other = { ...sale, accountId: derivedId('account', 'lost') };
  const names = (error: string) => ({
    name: 'PersonalDataUnavailable',
    code: 'unavailable',
    message: expect.stringContaining(error) as string,
  });
  const ofLost = names(`no key of affiliate ${lost.objectId}`);
  await expect(keys.texts.keyOf(lost)).rejects.toMatchObject(ofLost);
  await expect(sealedBody(lost, 'Ada')).rejects.toMatchObject(ofLost);
  const key = await keys.texts.keyOf(other);
  const ofAccount = names(`no keys of account ${other.accountId}`);
  await expect(key.sealResponse(response)).rejects.toMatchObject(ofAccount);
  await expect(key.openResponse('v1.')).rejects.toMatchObject(ofAccount);

  const box = openSecretBox([randomBytes(32)]);
  const texts = new DeliveryTexts(keys.store, box, keys.keyring);
  await expect(texts.keyOf(about(ada))).rejects.toMatchObject(
    names(`The personal data of ${ada} does not open`),
  );
});
