import { newId } from '@refledger/contracts';
import { RefreshLimit } from './refresh-limit.js';

let now = 0;
const limit = (): RefreshLimit => new RefreshLimit({ intervalMs: 250, max: 3 }, () => now);
const [a, b, c, d] = [newId('account'), newId('account'), newId('account'), newId('account')];

it('lets an account start once per interval', () => {
  const limited = limit();
  expect([limited.tryStart(a), limited.tryStart(a), limited.tryStart(b)]).toEqual([
    true,
    false,
    true,
  ]);
  now += 249;
  expect(limited.tryStart(a)).toBe(false);
  now += 1;
  expect([limited.tryStart(a), limited.tryStart(a)]).toEqual([true, false]);
});

it('limits how many start per interval overall', () => {
  const limited = limit();
  expect([a, b, c, d].map((account) => limited.tryStart(account))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  now += 250;
  expect(limited.tryStart(d)).toBe(true);
});
