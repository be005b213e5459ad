import type { Position } from '@refledger/contracts';
import { newProgress } from './progress.js';

it('reports progress now and then without a terminal', () => {
  const reported: string[] = [];
  let now = 0;
  const progress = newProgress(
    'folding',
    { terminal: undefined, report: (line) => void reported.push(line) },
    { now: () => now },
  );
  const at = (milliseconds: number, position: string | undefined): void => {
    now = milliseconds;
    progress.update(position as Position | undefined, '100' as Position);
  };
  at(1_000, '10');
  at(2_000, '20');
  at(3_000, '30');
  at(4_500, undefined);
  expect(reported).toEqual(['folding: position 20 of 100', 'folding: position 0 of 100']);
});
