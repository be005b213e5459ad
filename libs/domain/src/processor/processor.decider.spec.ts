import type { ProcessorEvent, Position } from '@refledger/contracts';
import fc from 'fast-check';
import { given, obeysLaws, refusal, textMatching, when } from '../../test/scenario.js';
import { processorDecider, pendingDecision } from './processor.decider.js';
import type { ProcessorCommand } from './processor.decider.js';

const processor = 'projector';
const opened = (store_id: string): ProcessorEvent => ({
  type: 'processor.opened',
  data: { processor, store_id },
});
const resumed = (from: string): ProcessorEvent => ({
  type: 'processor.resumed',
  data: { processor, from },
});
const skipped: ProcessorEvent = {
  type: 'processor.skipped',
  data: { processor, event_id: 'e1', position: '12' },
};
const rebuild: ProcessorEvent = {
  type: 'processor.rebuild_requested',
  data: { processor, projection: 'conversions' },
};
const time = {
  processor: 'posting',
  event_id: 'e1',
  position: '12',
  stream: 'refledger.affiliate-aff_a',
  revision: 3,
  recorded_at: '2026-01-31T12:00:00.000Z',
};
const discounted: ProcessorEvent = { type: 'log_time.discounted', data: time };
const none = given(processorDecider);

it('records a store, and a new one when it changes', () => {
  expect(when(processorDecider, none, { type: 'open', processor, store_id: 's1' })).toEqual([
    opened('s1'),
  ]);
  const state = given(processorDecider, opened('s1'));
  expect(when(processorDecider, state, { type: 'open', processor, store_id: 's1' })).toEqual([]);
  expect(when(processorDecider, state, { type: 'open', processor, store_id: 's2' })).toEqual([
    opened('s2'),
  ]);
  expect(given(processorDecider, opened('s1'), resumed('head'), opened('s2'))).toMatchObject({
    store_id: 's2',
    opened_revision: 2,
    resumed: { from: 'head', revision: 1 },
  });
});

it('records the same store again after a decision was applied', () => {
  const state = given(processorDecider, opened('s1'), resumed('head'));
  expect(pendingDecision(state)).toMatchObject({ from: 'head' });
  expect(when(processorDecider, state, { type: 'open', processor, store_id: 's1' })).toEqual([
    opened('s1'),
  ]);
  expect(
    pendingDecision(given(processorDecider, opened('s1'), resumed('head'), opened('s1'))),
  ).toBeUndefined();
  expect(pendingDecision(given(processorDecider, resumed('5')))).toMatchObject({ from: '5' });
});

it.each(['start', 'head', '0', '18446744073709551615'])('resumes from %s, repeatedly', (from) => {
  const command = { type: 'resume', processor, from } as const;
  expect(when(processorDecider, none, command)).toEqual([resumed(from)]);
  expect(when(processorDecider, given(processorDecider, resumed(from)), command)).toHaveLength(1);
  expect(given(processorDecider, resumed(from)).resumed).toEqual({ from, revision: 0 });
});

it.each(['', 'begin', '-1', '1.5', '007', '1e3'])('refuses to resume from %j', (from) => {
  expect(
    refusal(() => when(processorDecider, none, { type: 'resume', processor, from })),
  ).toMatchObject({
    code: 'validation_failed',
    detail: textMatching(/^from must be start, head or a position/),
  });
});

it('skips an event once', () => {
  const command = { type: 'skip', processor, event_id: 'e1', position: '12' as Position } as const;
  expect(when(processorDecider, none, command)).toEqual([skipped]);
  const state = given(processorDecider, skipped);
  expect([...state.skipped]).toEqual(['e1']);
  expect(when(processorDecider, state, command)).toEqual([]);
});

it('requests a rebuild, repeatedly', () => {
  const command = { type: 'request_rebuild', processor, projection: 'conversions' } as const;
  expect(when(processorDecider, given(processorDecider, rebuild), command)).toEqual([rebuild]);
  expect(given(processorDecider, rebuild)).toEqual(none);
});

it('discounts the time of an event once', () => {
  const command = { type: 'discount_time', ...time } as const;
  expect(when(processorDecider, none, command)).toEqual([discounted]);
  const state = given(processorDecider, discounted);
  expect([...state.discounted]).toEqual(['e1']);
  expect(when(processorDecider, state, command)).toEqual([]);
  expect(when(processorDecider, state, { ...command, event_id: 'e2' })).toHaveLength(1);
});

it('obeys the laws of a decider', () => {
  const commands: fc.Arbitrary<ProcessorCommand> = fc.oneof(
    fc.constantFrom('s1', 's2').map((store_id) => ({ type: 'open' as const, processor, store_id })),
    fc
      .oneof(fc.constantFrom('start', 'head', '5'), fc.string())
      .map((from) => ({ type: 'resume' as const, processor, from })),
    fc.constantFrom('e1', 'e2').map((event_id) => ({
      type: 'skip' as const,
      processor,
      event_id,
      position: '1' as Position,
    })),
    fc.constant({ type: 'request_rebuild' as const, processor, projection: 'v' }),
    fc
      .constantFrom('e1', 'e2')
      .map((event_id) => ({ type: 'discount_time' as const, ...time, event_id })),
  );
  obeysLaws(processorDecider, commands, ({ state, command }) => {
    if (['open', 'skip', 'discount_time'].includes(command.type))
      expect(processorDecider.decide(command, state)).toEqual([]);
  });
});
