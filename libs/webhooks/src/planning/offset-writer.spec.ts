import type { Position } from '@refledger/contracts';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import type { Plan } from '@refledger/delivery-store';
import { OffsetWriter } from './offset-writer.js';

const reached = (offset: number) => ({
  offset: { source: 's', partition: 'log', offset: String(offset) },
  floor: String(offset) as Position,
});
const setUp = () => {
  const clock = new ManualClock();
  const plans: Plan[] = [];
  const store = {
    plan: (plan: Plan) => {
      plans.push(plan);
      return Promise.resolve([]);
    },
  };
  const writer = new OffsetWriter({
    store,
    clock,
    newLease: () => ({ holder: 'h', now: '', leaseUntil: '' }),
    logRetry: (_what, error) => {
      throw error;
    },
  });
  return { clock, plans, writer };
};

it('writes the last of many offsets once a second', () => {
  const { clock, plans, writer } = setUp();
  for (const offset of [1, 2, 3]) writer.later(reached(offset));
  clock.advance(999);
  expect(plans).toEqual([]);
  clock.advance(1);
  expect(plans).toEqual([{ deliveries: [], ...reached(3) }]);
  writer.later(reached(4));
  clock.advance(1_000);
  expect(plans).toHaveLength(2);
});

it('writes the last offset on flush, and nothing planned later', async () => {
  const { plans, writer } = setUp();
  writer.later(reached(1));
  writer.forget('log');
  await writer.flush();
  expect(plans).toEqual([]);
  writer.later(reached(2));
  await writer.flush();
  await writer.flush();
  expect(plans).toEqual([{ deliveries: [], ...reached(2) }]);
});
