import { LocalChanges } from './mongodb/local-changes.js';
import { PositionWaiters } from './position-waiters.js';

const patience = { timeoutMs: 10_000 };

let position: number;
let looks: number;
let changes: LocalChanges;
let waiters: PositionWaiters<number>;
beforeEach(() => {
  [position, looks] = [0, 0];
  changes = new LocalChanges();
  waiters = new PositionWaiters(changes, 10_000, () => {
    looks += 1;
    return position;
  });
});
afterEach(() => waiters.close());

const reaches = (wanted: number) => waiters.waitUntil((now) => now >= wanted, patience);
const moveTo = (next: number): void => {
  position = next;
  changes.notify();
};

it('answers at each change those whose position is reached, after one look for all', async () => {
  const first = Promise.all([reaches(1), reaches(1)]);
  const second = reaches(2);
  await new Promise(setImmediate);
  looks = 0;
  moveTo(1);
  expect(await first).toEqual([true, true]);
  expect(looks).toBe(1);
  moveTo(2);
  expect(await second).toBe(true);
});

it('answers those who start to wait after all others were answered', async () => {
  for (const next of [1, 2, 3]) {
    const waiting = reaches(next);
    await new Promise(setImmediate);
    moveTo(next);
    expect(await waiting).toBe(true);
    await new Promise(setImmediate);
  }
});

it('gives up when the signal aborts, and when it is closed', async () => {
  const leaving = new AbortController();
  const left = waiters.waitUntil(() => false, { ...patience, signal: leaving.signal });
  const kept = reaches(1);
  await new Promise(setImmediate);
  leaving.abort();
  expect(await left).toBe(false);
  waiters.close();
  expect(await kept).toBe(false);
});
