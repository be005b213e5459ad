import { LosableKeys, storedAffiliate } from '@refledger/domain/testing';
import { BlockedWork } from './blocked-work.js';

const minute = 60_000;
let now = 0;
const newBlockedWork = () => new BlockedWork({ now: () => now });

/** The error of opening personal data without its key. */
const lost = async (): Promise<unknown> => {
  const keys = new LosableKeys();
  keys.isLost = true;
  return keys.openRecords([storedAffiliate('aff_1')]).catch((error: unknown) => error);
};

it('work is blocked from a missing key until it is done', async () => {
  const blockedWork = newBlockedWork();
  blockedWork.add('planning', new Error('the store is locked'));
  expect(blockedWork.reason).toBeUndefined();
  blockedWork.add('planning', await lost());
  blockedWork.add('a delivery', await lost());
  blockedWork.end('planning');
  expect(blockedWork.reason).toBe('The key store has no key of an affiliate.');
  blockedWork.end('a delivery');
  expect(blockedWork.reason).toBeUndefined();
});

it('work that is not tried again within a minute is not blocked any more', async () => {
  const blockedWork = newBlockedWork();
  blockedWork.add('a delivery', await lost());
  now += minute;
  expect(blockedWork.reason).toBeDefined();
  blockedWork.add('another delivery', await lost());
  now += 1;
  blockedWork.end('another delivery');
  expect(blockedWork.reason).toBeUndefined();
});
