import { openClock } from './clock.js';
import { closes, opens } from './day.js';

it('goes from opening to closing in its seconds, and no further', () => {
  let now = 5;
  const clock = openClock(40, () => now);
  expect(clock.minute()).toBe(opens);
  now += 20_000;
  expect(clock.minute()).toBe((opens + closes) / 2);
  expect(clock.msUntil(closes)).toBe(20_000);
  now += 60_000;
  expect([clock.minute(), clock.msUntil(closes)]).toEqual([closes, 0]);
});

it('stands still while it is told to, and goes on from there', async () => {
  let now = 0;
  const clock = openClock(40, () => now);
  let end: () => void = () => undefined;
  const standing = clock.standStill(new Promise((resolve) => (end = resolve)));
  now = 30_000;
  expect(clock.minute()).toBe(opens);
  end();
  await standing;
  now += 20_000;
  expect(clock.minute()).toBe((opens + closes) / 2);
});

it('waits for nothing when there is no time', () => {
  const clock = openClock(0, () => 0);
  expect([clock.minute(), clock.msUntil(closes)]).toEqual([opens, 0]);
});
