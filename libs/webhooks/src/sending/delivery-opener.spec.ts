import { derivedId, type ResponseExcerpt } from '@refledger/contracts';
import type { ClaimedDelivery } from '@refledger/delivery-store';
import { EveryKey } from '@refledger/personal-data/testing';
import { delivery as sale } from '../../test/attempt-bench.js';
import { BlockedWork } from '../blocked-work.js';
import { DeliveryOpener } from './delivery-opener.js';

const objectId = derivedId('affiliate', 'ada');
const response: ResponseExcerpt = { headers: [], body: 'Hello Ada', isTruncated: false };

let keys: EveryKey;
let warned: string[];
let made: ClaimedDelivery['id'][];
let remade: string | null;
let blockedWork: BlockedWork;
let opener: DeliveryOpener;
beforeEach(() => {
  [keys, warned, made, remade] = [new EveryKey(), [], [], 'made from the log'];
  blockedWork = new BlockedWork({ now: () => 0 });
  opener = new DeliveryOpener({
    texts: keys.texts,
    bodies: { make: ({ id }) => (made.push(id), Promise.resolve(remade)) },
    blockedWork,
    logger: { warn: (_about: object, message: string) => void warned.push(message) },
  });
});

/** A delivery about an affiliate, with the body as it is stored. */
const stored = async (body: string | null = '{"name":"Ada"}'): Promise<ClaimedDelivery> => {
  const about = { ...sale, eventType: 'affiliate.created', objectId, body } as const;
  const [sealed = about] = await keys.texts.sealBodies([about]);
  keys.reads.length = 0;
  return sealed;
};
const open = async (delivery: ClaimedDelivery) => {
  const opened = await opener.open(delivery);
  if (typeof opened === 'string') throw new Error(`it is ${opened}`);
  return opened;
};

it('opens a body and seals the response to it, with one look at the keys', async () => {
  const delivery = await stored();
  const { body, seal } = await open(delivery);
  expect(body).toBe('{"name":"Ada"}');
  const sealed = await seal(response);
  expect(await seal(null)).toBeNull();
  expect(keys.reads).toEqual([[objectId]]);
  expect(await (await keys.texts.keyOf(delivery)).openResponse(sealed ?? '')).toEqual(response);
  expect([made, warned]).toEqual([[], []]);
});

it('needs no key for the body of another delivery', async () => {
  const { body, seal } = await open(sale);
  expect([body, keys.reads]).toEqual(['{}', []]);
  await seal(response);
  await seal(response);
  expect(keys.reads).toEqual([[sale.accountId]]);
});

it('makes the body of an erased affiliate from the log, and stores no response', async () => {
  const deliveries = [await stored(), await stored(null)];
  keys.erased.add(objectId);
  for (const delivery of deliveries) {
    const { body, seal } = await open(delivery);
    expect([body, await seal(response)]).toEqual(['made from the log', null]);
  }
  expect(made).toHaveLength(2);
  remade = null;
  for (const delivery of deliveries) expect(await opener.open(delivery)).toBe('skipped');
});

it('does not take a lost key for an erased one', async () => {
  const delivery = await stored();
  keys.lost.add(objectId);
  expect(await opener.open(delivery)).toBe('unavailable');
  expect(made).toEqual([]);
  expect(warned).toEqual([
    `webhook-dispatcher: opening the body of ${delivery.id} failed; retrying`,
  ]);
  // the dispatcher is not ready until it opens
  expect(blockedWork.reason).toContain(objectId);
  keys.lost.clear();
  await open(delivery);
  expect(blockedWork.reason).toBeUndefined();
});

it('sends without the keys of the account, but then says which response is not stored, and why', async () => {
  keys.lost.add(sale.accountId);
  const { body, seal } = await open(sale);
  expect(body).toBe('{}');
  expect(await seal(response)).toBeNull();
  expect(warned).toEqual([
    `webhook-dispatcher: the response to ${sale.id} is not stored. The key store (KEY_STORE_URL) has no keys of account ${sale.accountId}. Restore the key store of this event log.`,
  ]);
});
