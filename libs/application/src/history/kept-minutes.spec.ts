import { toPosition, type Position } from '@refledger/contracts';
import { KeptMinutes } from './kept-minutes.js';

const marked = { after: undefined, through: undefined, isMarked: true };

it('keeps the steps of the most recently used minutes', () => {
  const kept = new KeptMinutes({ minutes: 2, steps: 100 });
  const [a, b] = [kept.stepsOf('a', marked, []), kept.stepsOf('b', marked, [])];
  kept.trim();
  expect([kept.find('b', marked, []) === b, kept.find('a', marked, []) === a]).toEqual([
    true,
    true,
  ]);
  kept.stepsOf('c', marked, []);
  kept.trim();
  expect([kept.find('a', marked, []) === a, kept.find('b', marked, [])]).toEqual([true, undefined]);
});

it('does not reuse the steps of a minute that has no mark or begins elsewhere', () => {
  const kept = new KeptMinutes();
  const unmarked = { ...marked, isMarked: false };
  kept.stepsOf('a', unmarked, []);
  expect(kept.find('a', unmarked, [])).toBeUndefined();
  const later = { ...marked, after: toPosition('7') };
  expect(kept.stepsOf('a', later, [])).not.toBe(kept.stepsOf('a', marked, []));
});

it('does not reuse the steps of a minute after a decision to discount time', () => {
  const kept = new KeptMinutes();
  const [recordedAt, decidedAt] = ['2026-11-24T10:05:00.000Z', '2026-11-24T10:00:00.000Z'];
  const position = toPosition('7') ?? ('0' as Position);
  const discount = { from: position, through: position, recordedAt, decidedAt };
  const before = kept.stepsOf('a', marked, []);
  expect(kept.find('a', marked, [discount])).toBeUndefined();
  expect(kept.stepsOf('a', marked, [discount])).not.toBe(before);
});

it('forgets minutes when they have too many steps', () => {
  const kept = new KeptMinutes({ minutes: 10, steps: 1 });
  const a = kept.stepsOf('2026-11-24T10:05', marked, []);
  for (const n of [1, 2])
    a.take({
      position: toPosition(`${n}`) ?? ('0' as Position),
      metadata: {
        account_id: 'acct_a',
        actor: 'suite',
        request_id: 'r',
        schema: 1,
        recorded_at: `2026-11-24T10:05:0${n}.000Z`,
      },
    });
  expect(kept.stepsOf('2026-11-24T10:05', marked, [])).toBe(a);
  kept.trim();
  expect(kept.find('2026-11-24T10:05', marked, [])).toBeUndefined();
});
