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
  const showAt = (milliseconds: number, position: string | undefined): void => {
    now = milliseconds;
    progress.update(position as Position | undefined, '100' as Position);
  };
  showAt(1_000, '10');
  showAt(2_000, '20');
  showAt(3_000, '30');
  showAt(4_500, undefined);
  expect(reported).toEqual(['folding: position 20 of 100', 'folding: position 0 of 100']);
});
