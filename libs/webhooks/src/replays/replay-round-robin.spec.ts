import { newId, type AccountId } from '@refledger/contracts';
import type { Replay } from '@refledger/delivery-store';
import { longestRestMs, ReplayRoundRobin } from './replay-round-robin.js';

const [a, b] = [newId('account'), newId('account')];
const replayOf = (accountId: AccountId): Replay =>
  ({ id: newId('replay'), accountId }) as Partial<Replay> as Replay;
const [a1, a2, a3, b1] = [replayOf(a), replayOf(a), replayOf(a), replayOf(b)];

it('gives the next turn to the replay after the last one, per account', () => {
  const turns = new ReplayRoundRobin();
  expect(turns.nextPerAccount([a1, b1, a2, a3], 0)).toEqual([[a1, a2, a3], [b1]]);
  turns.record(a1);
  expect(turns.nextPerAccount([a1, b1, a2, a3], 0)).toEqual([[a2, a3, a1], [b1]]);
  turns.record(a3);
  expect(turns.nextPerAccount([a1, a2, a3], 0)).toEqual([[a1, a2, a3]]);
});

it('starts with the first when the one that had the last turn has ended', () => {
  const turns = new ReplayRoundRobin();
  turns.record(a2);
  expect(turns.nextPerAccount([a1, a3], 0)).toEqual([[a1, a3]]);
});

it('omits those that rest, until their time comes or the clock is set back', () => {
  const turns = new ReplayRoundRobin();
  turns.pauseUntil(a1, 10_500);
  expect(turns.nextPerAccount([a1, a2], 10_000)).toEqual([[a2]]);
  expect(turns.nextPerAccount([a1, a2], 10_500)).toEqual([[a1, a2]]);
  turns.pauseUntil(a1, 10_500);
  expect(turns.nextPerAccount([a1], 10_500 - longestRestMs - 1)).toEqual([[a1]]);
});

it('forgets replays that no longer run', () => {
  const turns = new ReplayRoundRobin();
  turns.pauseUntil(a1, 500);
  turns.nextPerAccount([a2], 0);
  expect(turns.nextPerAccount([a1], 0)).toEqual([[a1]]);
});
