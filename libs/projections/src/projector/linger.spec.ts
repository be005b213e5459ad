import { lingerMs } from './linger.js';

it.each([
  [0, 0],
  [1, 2],
  [2, 4],
  [3, 5],
  [25, 5],
  [50, 10],
  [100, 20],
  [999, 20],
  [1000, 0],
])('after %i events, the projector lingers for %i ms', (events, ms) => {
  expect(lingerMs(events)).toBe(ms);
});
