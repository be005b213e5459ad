import { CallOutcomes } from './availability.js';
import { unavailable, wrongRevision } from './event-log-error.js';

let answers: boolean;
let probes: number;
let outcomes: CallOutcomes;
beforeEach(() => {
  jest.useFakeTimers();
  [answers, probes] = [false, 0];
  outcomes = new CallOutcomes(() => {
    probes += 1;
    return answers ? Promise.resolve() : Promise.reject(unavailable('locked'));
  });
});
afterEach(() => {
  outcomes.close();
  jest.useRealTimers();
});
const fail = (call: 'append' | 'read' = 'append'): void =>
  outcomes.failed(call, unavailable('away'));

it('follows the last append and the last read, each on its own', async () => {
  expect(outcomes.failure).toBeUndefined();
  await expect(outcomes.track('append', Promise.reject(unavailable('away')))).rejects.toThrow(
    'away',
  );
  expect(outcomes.failure).toBe('away');
  await outcomes.track('read', Promise.resolve());
  expect(outcomes.failure).toBe('away');
  await outcomes.track('append', Promise.resolve());
  expect(outcomes.failure).toBeUndefined();
});

it('counts an answer as a success, and a programming error as neither', () => {
  outcomes.failed('append', wrongRevision('refledger.x', 1, 2));
  outcomes.failed('append', new TypeError('x'));
  expect(outcomes.failure).toBeUndefined();
  fail();
  outcomes.failed('append', new TypeError('x'));
  expect(outcomes.failure).toBe('away');
  outcomes.failed('append', wrongRevision('refledger.x', 1, 2));
  expect(outcomes.failure).toBeUndefined();
});

it('probes once per second while a call has failed, however many fail, and not otherwise', async () => {
  await jest.advanceTimersByTimeAsync(10_000);
  expect(probes).toBe(0);
  for (let n = 0; n < 50; n++) {
    fail(n % 2 === 0 ? 'append' : 'read');
    await jest.advanceTimersByTimeAsync(100);
  }
  expect(probes).toBe(5);
  expect(outcomes.failure).toBe('locked');
  answers = true;
  await jest.advanceTimersByTimeAsync(1_000);
  expect(outcomes.failure).toBeUndefined();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(probes).toBe(6);
});

it('wakes those that wait as soon as any call succeeds again, without a probe', () => {
  const { recovery } = outcomes;
  outcomes.succeeded('append');
  expect(recovery.aborted).toBe(false);
  fail('append');
  fail('read');
  outcomes.succeeded('read');
  expect(recovery.aborted).toBe(true);
  expect(outcomes.recovery.aborted).toBe(false);
  expect(probes).toBe(0);
});

it('wakes them at most once per second', async () => {
  let woken = 0;
  const wait = (): void =>
    outcomes.recovery.addEventListener('abort', () => {
      woken += 1;
      wait();
    });
  wait();
  for (let n = 0; n < 100; n++) {
    fail();
    outcomes.succeeded('append');
    await jest.advanceTimersByTimeAsync(50);
  }
  // at the start, and after each of the five seconds
  expect(woken).toBe(6);
});
