import type { ClusterView } from './gossip.js';
import { countVotes } from './leader-vote.js';

const views = (...leaders: (string | undefined)[]): ClusterView[] =>
  leaders.map((leader) => ({ members: ['a', 'b', 'c'], leader }));

it.each([
  ['most nodes name', views('a', 'b', 'b'), { address: 'b', isConfirmed: true, isDecided: true }],
  [
    'no one but itself names',
    views('a', undefined),
    { address: 'a', isConfirmed: false, isDecided: false },
  ],
  [
    'is not in doubt, in a tie',
    views('doubted', 'b'),
    { address: 'b', isConfirmed: false, isDecided: false },
  ],
  [
    'two of five nodes name',
    [
      { members: [...'abcde'], leader: 'a' },
      { members: [...'abcde'], leader: 'a' },
    ],
    { address: 'a', isConfirmed: true, isDecided: false },
  ],
  [
    'is alone',
    [{ members: ['a'], leader: 'a' }],
    { address: 'a', isConfirmed: true, isDecided: true },
  ],
])('the leader is the one that %s', (_name, given, expected) => {
  expect(countVotes(given, new Set(['doubted']))).toEqual(expected);
});

it('there is no leader while no node names one', () => {
  expect(countVotes(views(undefined, undefined))).toBeUndefined();
  expect(countVotes([])).toBeUndefined();
});
