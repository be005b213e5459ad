import { openClock } from './clock.js';
import { closes, opens } from './day.js';

it('runs from opening to closing in the given seconds, then stops', () => {
  let now = 5;
  const clock = openClock(40, () => now);
  expect(clock.minute()).toBe(opens);
  now += 20_000;
  expect(clock.minute()).toBe((opens + closes) / 2);
  expect(clock.msUntil(closes)).toBe(20_000);
  now += 60_000;
  expect([clock.minute(), clock.msUntil(closes)]).toEqual([closes, 0]);
});

it('stops while it is paused, and continues from there', async () => {
  let now = 0;
  const clock = openClock(40, () => now);
  let end: () => void = () => undefined;
  const paused = clock.pauseUntil(new Promise((resolve) => (end = resolve)));
  now = 30_000;
  expect(clock.minute()).toBe(opens);
  end();
  await paused;
  now += 20_000;
  expect(clock.minute()).toBe((opens + closes) / 2);
});

it('does not wait when the day has no duration', () => {
  const clock = openClock(0, () => 0);
  expect([clock.minute(), clock.msUntil(closes)]).toEqual([opens, 0]);
});
