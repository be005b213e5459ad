import type { ProcessorEvent, ProcessorStop, Position } from '@refledger/contracts';
import fc from 'fast-check';
import { given, obeysLaws, refusal, textMatching, when } from '../../test/scenario.js';
import { processorDecider, pendingDecision, pendingStop } from './processor.decider.js';
import type { ProcessorCommand } from './processor.decider.js';

const processor = 'projector';
const opened = (store_id: string, decision: number | null = null): ProcessorEvent => ({
  type: 'processor.opened',
  data: { processor, store_id, decision },
});
const resumed = (from: string, stop: ProcessorStop | null = null): ProcessorEvent => ({
  type: 'processor.resumed',
  data: { processor, from, stop },
});
const stopped = (stop: ProcessorStop): ProcessorEvent => ({
  type: 'processor.stopped',
  data: { processor, stop },
});
const lost = { recorded_store: 's1', present_store: 's2', checkpoint: [] };
const torn = { recorded_store: 's1', present_store: 's1', checkpoint: ['12'] };
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
const ignored: ProcessorEvent = { type: 'log_time.ignored', data: time };
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
  expect(given(processorDecider, resumed(from)).resumed).toEqual({
    from,
    fromRevision: 0,
    revision: 0,
    stop: null,
    lifts: [],
  });
});

it('records each stop once, and again after it is over', () => {
  const command = { type: 'stop', processor, stop: lost } as const;
  expect(when(processorDecider, none, command)).toEqual([stopped(lost)]);
  const state = given(processorDecider, stopped(lost));
  expect(pendingStop(state)).toEqual(lost);
  expect(when(processorDecider, state, command)).toEqual([]);
  expect(when(processorDecider, state, { ...command, stop: torn })).toEqual([stopped(torn)]);
  const over = given(processorDecider, opened('s1'), stopped(lost), opened('s1'));
  expect(pendingStop(over)).toBeUndefined();
  expect(when(processorDecider, over, command)).toEqual([stopped(lost)]);
});

it('ends a stop by opening the store, even the recorded one', () => {
  const state = given(processorDecider, opened('s1'), stopped(torn));
  expect(when(processorDecider, state, { type: 'open', processor, store_id: 's1' })).toEqual([
    opened('s1'),
  ]);
});

it('decides about the pending stop only', () => {
  const command = { type: 'resume', processor, from: 'head', stop: lost } as const;
  const state = given(processorDecider, stopped(lost));
  expect(when(processorDecider, state, command)).toEqual([resumed('head', lost)]);
  for (const other of [
    none,
    given(processorDecider, stopped(torn)),
    given(processorDecider, stopped(lost), opened('s2')),
  ])
    expect(refusal(() => when(processorDecider, other, command))).toMatchObject({
      code: 'validation_failed',
      detail: textMatching(/no longer waits for this decision/),
    });
});

it('keeps a decision about a stop until it is carried out, and another stop discards it', () => {
  const state = given(processorDecider, opened('s1'), stopped(lost), resumed('head', lost));
  const decision = pendingDecision(state);
  expect(decision).toEqual({
    from: 'head',
    fromRevision: 2,
    revision: 2,
    stop: lost,
    lifts: [],
  });
  expect(when(processorDecider, state, { type: 'stop', processor, stop: lost })).toEqual([]);
  expect(
    when(processorDecider, state, { type: 'open', processor, store_id: 's2', decision }),
  ).toEqual([opened('s2', 2)]);
  expect(given(processorDecider, opened('s2', 2))).toMatchObject({ followed_revision: 2 });
  expect(when(processorDecider, state, { type: 'stop', processor, stop: torn })).toEqual([
    stopped(torn),
  ]);
  expect(
    pendingDecision(given(processorDecider, stopped(lost), resumed('head', lost), stopped(torn))),
  ).toBeUndefined();
});

it('discards a decision that names no stop when the processor stops', () => {
  const state = given(processorDecider, stopped(lost), resumed('head'));
  expect(when(processorDecider, state, { type: 'stop', processor, stop: lost })).toEqual([
    stopped(lost),
  ]);
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

it('ignores the time of an event once', () => {
  const command = { type: 'ignore_time', ...time } as const;
  expect(when(processorDecider, none, command)).toEqual([ignored]);
  const state = given(processorDecider, ignored);
  expect([...state.ignoredTimes]).toEqual(['e1']);
  expect(when(processorDecider, state, command)).toEqual([]);
  expect(when(processorDecider, state, { ...command, event_id: 'e2' })).toHaveLength(1);
});

it('obeys the laws of a decider', () => {
  const commands: fc.Arbitrary<ProcessorCommand> = fc.oneof(
    fc.constantFrom('s1', 's2').map((store_id) => ({ type: 'open' as const, processor, store_id })),
    fc.constantFrom(lost, torn).map((stop) => ({ type: 'stop' as const, processor, stop })),
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
      .map((event_id) => ({ type: 'ignore_time' as const, ...time, event_id })),
  );
  obeysLaws(processorDecider, commands, ({ state, command }) => {
    if (['open', 'stop', 'skip', 'ignore_time'].includes(command.type))
      expect(processorDecider.decide(command, state)).toEqual([]);
  });
});

it('no longer skips an event whose skip is lifted, and skips it again if that is decided', () => {
  const lifts = { event_id: 'e1', stream: 'refledger.payout-pay_1', revision: 2 };
  const resume = { type: 'resume', processor, from: '12', lifts } as const;
  const lifted: ProcessorEvent = {
    type: 'processor.resumed',
    data: { processor, from: '12', stop: null, lifts },
  };
  expect(when(processorDecider, given(processorDecider, skipped), resume)).toEqual([lifted]);
  const state = given(processorDecider, resumed('head'), skipped, lifted, lifted);
  expect([...state.skipped]).toEqual([]);
  expect(state.resumed).toMatchObject({ from: 'head', fromRevision: 0, revision: 3 });
  expect(state.resumed?.lifts).toEqual([
    { event_id: 'e1', revision: 2 },
    { event_id: 'e1', revision: 3 },
  ]);
  expect(
    when(processorDecider, state, {
      type: 'skip',
      processor,
      event_id: 'e1',
      position: '12' as Position,
    }),
  ).toEqual([skipped]);
  expect(given(processorDecider, lifted, resumed('head')).resumed?.lifts).toEqual([]);
});
