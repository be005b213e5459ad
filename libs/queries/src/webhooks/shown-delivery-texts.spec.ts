import { derivedId, type ResponseExcerpt } from '@refledger/contracts';
import { startedAttempt, type Delivery } from '@refledger/delivery-store';
import { EveryKey } from '@refledger/personal-data/testing';
import { DeliveryReads } from './delivery-reads.js';
import { ShownDeliveryTexts } from './shown-delivery-texts.js';

const affiliate = derivedId('affiliate', 'ada');
const response: ResponseExcerpt = {
  headers: [['x-echo', 'Ada']],
  body: 'Hello Ada',
  isTruncated: true,
};

let keys: EveryKey;
let made: string[];
let reads: DeliveryReads;
beforeEach(() => {
  [keys, made] = [new EveryKey(), []];
  const bodies = { make: ({ id }: Delivery) => (made.push(id), Promise.resolve('made again')) };
  reads = new DeliveryReads({ read: unused }, { get: unused, hasExisted: unused }, texts(bodies));
});
const unused = () => Promise.reject(new Error('nothing else is read'));
const texts = (bodies: ConstructorParameters<typeof ShownDeliveryTexts>[1]) =>
  new ShownDeliveryTexts(keys.texts, bodies);

/** A delivery as it is stored after two attempts. The receiver answered only the second one. */
const stored = async (about: Partial<Delivery> = {}): Promise<Delivery> => {
  const delivery = {
    id: derivedId('delivery', 'one'),
    accountId: derivedId('account', 'one'),
    eventType: 'affiliate.created',
    objectId: affiliate,
    trigger: 'event',
    body: 'the body',
    attemptCount: 2,
    ...about,
    // the cast holds: the other fields are only copied
  } as Delivery;
  const sealedResponse = await (await keys.texts.keyOf(delivery)).sealResponse(response);
  const [sealed = delivery] = await keys.texts.sealBodies([delivery]);
  const [first, second] = [startedAttempt(1, ''), { ...startedAttempt(2, ''), sealedResponse }];
  keys.reads.length = 0;
  return { ...sealed, attempts: [first, second] };
};
const none = { response_headers: null, response_body: null, response_truncated: false };
const shownResponse = {
  response_headers: { 'x-echo': 'Ada' },
  response_body: 'Hello Ada',
  response_truncated: true,
};

it('shows the body and the responses, with one look at the keys', async () => {
  const delivery = await stored();
  expect(delivery.body).not.toBe('the body');
  expect(await reads.shown(delivery)).toMatchObject({
    body: 'the body',
    attempts: [none, shownResponse],
  });
  expect(keys.reads).toEqual([[affiliate]]);
});

it.each([
  ['a sale', { eventType: 'conversion.created' } as const],
  ['a test', { trigger: 'test' } as const],
])('shows those of %s with the keys of the account', async (_, about) => {
  const delivery = await stored(about);
  expect(await reads.shown(delivery)).toMatchObject({
    body: 'the body',
    attempts: [none, shownResponse],
  });
  expect(keys.reads.flat()).not.toContain(affiliate);
});

it('shows nothing of a delivery that was not sent, and needs no key for it', async () => {
  const delivery = { ...(await stored()), attemptCount: 0, attempts: [] };
  keys.lost.add(affiliate);
  keys.erased.add(affiliate);
  expect(await reads.shown(delivery)).toMatchObject({ body: null, attempts: [] });
});

it('shows no body that is not stored', async () => {
  const delivery = await stored({ body: null });
  expect(await reads.shown(delivery)).toMatchObject({
    body: null,
    attempts: [none, shownResponse],
  });
  expect(made).toEqual([]);
});

it.each([['the body'], [null]])(
  'shows the body of an erased affiliate as the log makes it now, and no response, if %j was stored',
  async (body) => {
    const delivery = await stored({ body });
    keys.erased.add(affiliate);
    expect(await reads.shown(delivery)).toMatchObject({
      body: 'made again',
      attempts: [none, none],
    });
    expect(made).toEqual([delivery.id]);
  },
);

it('throws if a key is lost, and names whose', async () => {
  const delivery = await stored();
  keys.lost.add(affiliate);
  await expect(reads.shown(delivery)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(`key store.* has no key of affiliate ${affiliate}`) as string,
  });
  expect(made).toEqual([]);
});
