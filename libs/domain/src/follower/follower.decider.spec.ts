import type { FollowerEvent, Position } from '@refledger/contracts';
import fc from 'fast-check';
import { given, obeysLaws, refusal, saying, when } from '../../test/scenario.js';
import { followerDecider, pendingDecision } from './follower.decider.js';
import type { FollowerCommand } from './follower.decider.js';

const follower = 'projector';
const opened = (store_id: string): FollowerEvent => ({
  type: 'follower.opened',
  data: { follower, store_id },
});
const resumed = (from: string): FollowerEvent => ({
  type: 'follower.resumed',
  data: { follower, from },
});
const skipped: FollowerEvent = {
  type: 'follower.skipped',
  data: { follower, event_id: 'e1', position: '12' },
};
const rebuild: FollowerEvent = {
  type: 'follower.rebuild_requested',
  data: { follower, view: 'conversions' },
};
const none = given(followerDecider);

it('notes a store, and a new one when it changes', () => {
  expect(when(followerDecider, none, { type: 'open', follower, store_id: 's1' })).toEqual([
    opened('s1'),
  ]);
  const state = given(followerDecider, opened('s1'));
  expect(when(followerDecider, state, { type: 'open', follower, store_id: 's1' })).toEqual([]);
  expect(when(followerDecider, state, { type: 'open', follower, store_id: 's2' })).toEqual([
    opened('s2'),
  ]);
  expect(given(followerDecider, opened('s1'), resumed('head'), opened('s2'))).toMatchObject({
    store_id: 's2',
    opened_revision: 2,
    resumed: { from: 'head', revision: 1 },
  });
});

it('notes the same store again once a decision was followed', () => {
  const state = given(followerDecider, opened('s1'), resumed('head'));
  expect(pendingDecision(state)).toMatchObject({ from: 'head' });
  expect(when(followerDecider, state, { type: 'open', follower, store_id: 's1' })).toEqual([
    opened('s1'),
  ]);
  expect(
    pendingDecision(given(followerDecider, opened('s1'), resumed('head'), opened('s1'))),
  ).toBeUndefined();
  expect(pendingDecision(given(followerDecider, resumed('5')))).toMatchObject({ from: '5' });
});

it.each(['start', 'head', '0', '18446744073709551615'])(
  'resumes from %s, however often',
  (from) => {
    const command = { type: 'resume', follower, from } as const;
    expect(when(followerDecider, none, command)).toEqual([resumed(from)]);
    expect(when(followerDecider, given(followerDecider, resumed(from)), command)).toHaveLength(1);
    expect(given(followerDecider, resumed(from)).resumed).toEqual({ from, revision: 0 });
  },
);

it.each(['', 'begin', '-1', '1.5', '007', '1e3'])('refuses to resume from %j', (from) => {
  expect(
    refusal(() => when(followerDecider, none, { type: 'resume', follower, from })),
  ).toMatchObject({
    code: 'validation_failed',
    detail: saying(/^from must be start, head or a position/),
  });
});

it('skips an event once', () => {
  const command = { type: 'skip', follower, event_id: 'e1', position: '12' as Position } as const;
  expect(when(followerDecider, none, command)).toEqual([skipped]);
  const state = given(followerDecider, skipped);
  expect([...state.skipped]).toEqual(['e1']);
  expect(when(followerDecider, state, command)).toEqual([]);
});

it('asks for a rebuild, however often', () => {
  const command = { type: 'request_rebuild', follower, view: 'conversions' } as const;
  expect(when(followerDecider, given(followerDecider, rebuild), command)).toEqual([rebuild]);
  expect(given(followerDecider, rebuild)).toEqual(none);
});

it('obeys the laws of a decider', () => {
  const commands: fc.Arbitrary<FollowerCommand> = fc.oneof(
    fc.constantFrom('s1', 's2').map((store_id) => ({ type: 'open' as const, follower, store_id })),
    fc
      .oneof(fc.constantFrom('start', 'head', '5'), fc.string())
      .map((from) => ({ type: 'resume' as const, follower, from })),
    fc.constantFrom('e1', 'e2').map((event_id) => ({
      type: 'skip' as const,
      follower,
      event_id,
      position: '1' as Position,
    })),
    fc.constant({ type: 'request_rebuild' as const, follower, view: 'v' }),
  );
  obeysLaws(followerDecider, commands, ({ state, command }) => {
    if (command.type === 'open' || command.type === 'skip')
      expect(followerDecider.decide(command, state)).toEqual([]);
  });
});
