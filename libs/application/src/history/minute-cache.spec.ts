import { toPosition, type Position } from '@refledger/contracts';
import { noDecisions } from '@refledger/domain';
import { MinuteCache } from './minute-cache.js';

const marked = { after: undefined, through: undefined, isMarked: true };

it('keeps the steps of the most recently used minutes', () => {
  const kept = new MinuteCache({ minutes: 2, steps: 100 });
  const [a, b] = [kept.stepsOf('a', marked, noDecisions), kept.stepsOf('b', marked, noDecisions)];
  kept.trim();
  expect([
    kept.find('b', marked, noDecisions) === b,
    kept.find('a', marked, noDecisions) === a,
  ]).toEqual([true, true]);
  kept.stepsOf('c', marked, noDecisions);
  kept.trim();
  expect([kept.find('a', marked, noDecisions) === a, kept.find('b', marked, noDecisions)]).toEqual([
    true,
    undefined,
  ]);
});

it('does not reuse the steps of a minute that has no mark or starts elsewhere', () => {
  const kept = new MinuteCache();
  const unmarked = { ...marked, isMarked: false };
  kept.stepsOf('a', unmarked, noDecisions);
  expect(kept.find('a', unmarked, noDecisions)).toBeUndefined();
  const later = { ...marked, after: toPosition('7') };
  expect(kept.stepsOf('a', later, noDecisions)).not.toBe(kept.stepsOf('a', marked, noDecisions));
});

it('does not reuse the steps of a minute after a decision about log time', () => {
  const kept = new MinuteCache();
  const decided = { ...noDecisions, revision: 0 };
  const before = kept.stepsOf('a', marked, noDecisions);
  expect(kept.find('a', marked, decided)).toBeUndefined();
  expect(kept.stepsOf('a', marked, decided)).not.toBe(before);
});

it('forgets minutes when they have too many steps', () => {
  const kept = new MinuteCache({ minutes: 10, steps: 1 });
  const a = kept.stepsOf('2026-11-24T10:05', marked, noDecisions);
  for (const n of [1, 2])
    a.apply({
      id: `event-${n}`,
      position: toPosition(`${n}`) ?? ('0' as Position),
      metadata: {
        account_id: 'acct_a',
        actor: 'suite',
        request_id: 'r',
        schema: 1,
        recorded_at: `2026-11-24T10:05:0${n}.000Z`,
      },
    });
  expect(kept.stepsOf('2026-11-24T10:05', marked, noDecisions)).toBe(a);
  kept.trim();
  expect(kept.find('2026-11-24T10:05', marked, noDecisions)).toBeUndefined();
});
