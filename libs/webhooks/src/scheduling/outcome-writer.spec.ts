import { newId } from '@refledger/contracts';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import type { AttemptResult } from '@refledger/delivery-store';
import { delivery } from '../../test/attempt-bench.js';
import { OutcomeWriter } from './outcome-writer.js';

const result = (): AttemptResult => ({
  deliveryId: newId('delivery'),
  number: 1,
  endedAt: '2026-01-01T00:00:00.000Z',
  attempt: null,
  failures: 0,
  next: { status: 'succeeded' },
});

const given = (write: () => Promise<void> = () => Promise.resolve()) => {
  const groups: (readonly AttemptResult[])[] = [];
  const [failed, reported]: [string[], AttemptResult[]] = [[], []];
  const ending = new AbortController();
  const clock = new ManualClock();
  const writer = new OutcomeWriter({
    store: {
      recordOutcomes: (results) => {
        groups.push(results);
        return write();
      },
    },
    reporter: { report: (_delivery, { result }) => void reported.push(result) },
    holder: 'us',
    clock,
    signal: ending.signal,
    logRetry: (what) => void failed.push(what),
  });
  const record = (one: AttemptResult) => writer.record(delivery, { result: one });
  return { writer, record, groups, reported, failed, ending, clock };
};

it('writes all outcomes in their order, at most 16 at once, since others wait for the store', async () => {
  const { record, groups } = given();
  const results = Array.from({ length: 40 }, result);
  await Promise.all(results.map((one) => record(one)));
  expect(groups.map(({ length }) => length)).toEqual([16, 16, 8]);
  expect(groups.flat()).toEqual(results);
});

it('writes up to 100 at once when many outcomes wait, and is behind while 500 are not written', async () => {
  const { writer, record, groups } = given();
  const results = Array.from({ length: 500 }, result);
  const recorded = results.map((one) => {
    expect(writer.isBehind).toBe(false);
    return record(one);
  });
  expect(writer.isBehind).toBe(true);
  expect(groups).toEqual([]);
  await recorded[0];
  expect(writer.isBehind).toBe(false);
  await Promise.all(recorded);
  expect(groups.slice(0, 3).map(({ length }) => length)).toEqual([100, 100, 75]);
  expect(groups.flat()).toEqual(results);
});

it('reports the attempt and resolves only once the outcome is durable, and writes the same group again after a failure', async () => {
  let fails = true;
  const { record, groups, reported, failed, clock } = given(() =>
    fails ? Promise.reject(new Error('the disk is full')) : Promise.resolve(),
  );
  let isWritten = false;
  const one = result();
  const written = record(one).then(() => (isWritten = true));
  while (clock.waiting === 0) await new Promise(setImmediate);
  expect([isWritten, reported, failed]).toEqual([false, [], ['writing outcomes']]);
  fails = false;
  clock.advance(50);
  await written;
  expect(groups[1]).toEqual(groups[0]);
  expect(reported).toEqual([one]);
});

it('abandons outcomes that cannot be written when the service is forced to end', async () => {
  const { record, ending, clock } = given(() => Promise.reject(new Error('the disk is full')));
  const written = record(result());
  while (clock.waiting === 0) await new Promise(setImmediate);
  ending.abort();
  await written;
});
