import { newId } from '@refledger/contracts';
import { RefreshLimit } from './refresh-limit.js';

let now = 0;
const limit = (): RefreshLimit => new RefreshLimit({ intervalMs: 250, max: 3 }, () => now);
const [a, b, c, d] = [newId('account'), newId('account'), newId('account'), newId('account')];

it('lets an account begin once per interval', () => {
  const limited = limit();
  expect([limited.mayBegin(a), limited.mayBegin(a), limited.mayBegin(b)]).toEqual([
    true,
    false,
    true,
  ]);
  now += 249;
  expect(limited.mayBegin(a)).toBe(false);
  now += 1;
  expect([limited.mayBegin(a), limited.mayBegin(a)]).toEqual([true, false]);
});

it('limits how many begin per interval overall', () => {
  const limited = limit();
  expect([a, b, c, d].map((account) => limited.mayBegin(account))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  now += 250;
  expect(limited.mayBegin(d)).toBe(true);
});
