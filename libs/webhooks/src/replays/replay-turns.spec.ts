import { newId, type AccountId } from '@refledger/contracts';
import type { Replay } from '@refledger/delivery-store';
import { longestRestMs, ReplayTurns } from './replay-turns.js';

const [a, b] = [newId('account'), newId('account')];
const replayOf = (accountId: AccountId): Replay =>
  ({ id: newId('replay'), accountId }) as Partial<Replay> as Replay;
const [a1, a2, a3, b1] = [replayOf(a), replayOf(a), replayOf(a), replayOf(b)];

it('gives the next turn to the replay after the last one, per account', () => {
  const turns = new ReplayTurns();
  expect(turns.of([a1, b1, a2, a3], 0)).toEqual([[a1, a2, a3], [b1]]);
  turns.took(a1);
  expect(turns.of([a1, b1, a2, a3], 0)).toEqual([[a2, a3, a1], [b1]]);
  turns.took(a3);
  expect(turns.of([a1, a2, a3], 0)).toEqual([[a1, a2, a3]]);
});

it('starts with the first when the one that had the last turn has ended', () => {
  const turns = new ReplayTurns();
  turns.took(a2);
  expect(turns.of([a1, a3], 0)).toEqual([[a1, a3]]);
});

it('omits those that rest, until their time comes or the clock is set back', () => {
  const turns = new ReplayTurns();
  turns.rest(a1, 10_500);
  expect(turns.of([a1, a2], 10_000)).toEqual([[a2]]);
  expect(turns.of([a1, a2], 10_500)).toEqual([[a1, a2]]);
  turns.rest(a1, 10_500);
  expect(turns.of([a1], 10_500 - longestRestMs - 1)).toEqual([[a1]]);
});

it('forgets replays that no longer run', () => {
  const turns = new ReplayTurns();
  turns.rest(a1, 500);
  turns.of([a2], 0);
  expect(turns.of([a1], 0)).toEqual([[a1]]);
});
