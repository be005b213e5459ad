import { LosableKeys, storedAffiliate } from '@refledger/domain/testing';
import { HoldUps } from './hold-ups.js';

const minute = 60_000;
let now = 0;
const newHoldUps = () => new HoldUps({ now: () => now });

/** The error of opening personal data without its key. */
const lost = async (): Promise<unknown> => {
  const keys = new LosableKeys();
  keys.isLost = true;
  return keys.openRecords([storedAffiliate('aff_1')]).catch((error: unknown) => error);
};

it('work is held up from a missing key until it is done', async () => {
  const holdUps = newHoldUps();
  holdUps.add('planning', new Error('the store is locked'));
  expect(holdUps.reason).toBeUndefined();
  holdUps.add('planning', await lost());
  holdUps.add('a delivery', await lost());
  holdUps.end('planning');
  expect(holdUps.reason).toBe('The key store has no key of an affiliate.');
  holdUps.end('a delivery');
  expect(holdUps.reason).toBeUndefined();
});

it('work that is not tried again within a minute is not held up any more', async () => {
  const holdUps = newHoldUps();
  holdUps.add('a delivery', await lost());
  now += minute;
  expect(holdUps.reason).toBeDefined();
  holdUps.add('another delivery', await lost());
  now += 1;
  holdUps.end('another delivery');
  expect(holdUps.reason).toBeUndefined();
});
