import type { Position } from '@refledger/contracts';
import { watchService } from './watch-service.js';

const watching = () => {
  const watched = { now: 0, served: true, reported: [] as string[] };
  const watch = watchService(
    { isServiceRunning: () => watched.served },
    { report: (line) => void watched.reported.push(line) },
    () => watched.now,
  );
  const lookAt = (now: number, position: string): void => {
    watched.now = now;
    watch(position as Position);
  };
  return { watched, at: lookAt };
};

it('reports once that there has been no progress for a while', () => {
  const { watched, at: lookAt } = watching();
  lookAt(1_000, '5');
  lookAt(10_999, '5');
  expect(watched.reported).toEqual([]);
  lookAt(11_000, '5');
  lookAt(30_000, '5');
  expect(watched.reported).toHaveLength(1);
});

it('reports nothing while there is progress', () => {
  const { watched, at: lookAt } = watching();
  for (const second of [0, 9, 18, 27]) lookAt(second * 1_000, String(second));
  expect(watched.reported).toEqual([]);
});

it('gives up once the service has stopped', () => {
  const { watched, at: lookAt } = watching();
  watched.served = false;
  expect(() => lookAt(2_000, '1')).toThrow('the service has stopped');
});
