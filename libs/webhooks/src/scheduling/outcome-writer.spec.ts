import { newId } from '@refledger/contracts';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import type { AttemptResult } from '@refledger/delivery-store';
import { OutcomeWriter } from './outcome-writer.js';

const result = (): AttemptResult => ({
  deliveryId: newId('delivery'),
  number: 1,
  endedAt: '2026-01-01T00:00:00.000Z',
  attempt: null,
  failures: 0,
  next: { status: 'succeeded' },
});

const given = (record: () => Promise<void> = () => Promise.resolve()) => {
  const groups: (readonly AttemptResult[])[] = [];
  const failed: string[] = [];
  const ending = new AbortController();
  const clock = new ManualClock();
  const writer = new OutcomeWriter({
    store: {
      recordOutcomes: (results) => {
        groups.push(results);
        return record();
      },
    },
    holder: 'us',
    clock,
    signal: ending.signal,
    logRetry: (what) => void failed.push(what),
  });
  return { writer, groups, failed, ending, clock };
};

it('writes all outcomes in their order, at most 16 at once, since others wait for the store', async () => {
  const { writer, groups } = given();
  const results = Array.from({ length: 40 }, result);
  await Promise.all(results.map((one) => writer.add(one)));
  expect(groups.map(({ length }) => length)).toEqual([16, 16, 8]);
  expect(groups.flat()).toEqual(results);
});

it('resolves only once the outcome is durable, and writes the same group again after a failure', async () => {
  let fails = true;
  const { writer, groups, failed, clock } = given(() =>
    fails ? Promise.reject(new Error('the disk is full')) : Promise.resolve(),
  );
  let isWritten = false;
  const written = writer.add(result()).then(() => (isWritten = true));
  while (clock.waiting === 0) await new Promise(setImmediate);
  expect([isWritten, failed]).toEqual([false, ['writing outcomes']]);
  fails = false;
  clock.advance(50);
  await written;
  expect(groups[1]).toEqual(groups[0]);
});

it('abandons outcomes that cannot be written when the service is forced to end', async () => {
  const { writer, ending, clock } = given(() => Promise.reject(new Error('the disk is full')));
  const written = writer.add(result());
  while (clock.waiting === 0) await new Promise(setImmediate);
  ending.abort();
  await written;
});
