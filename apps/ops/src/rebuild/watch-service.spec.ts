import type { Position } from '@refledger/contracts';
import { watchService } from './watch-service.js';

const watching = () => {
  const told = { now: 0, served: true, said: [] as string[] };
  const watch = watchService(
    { isServed: () => told.served },
    { report: (line) => void told.said.push(line) },
    () => told.now,
  );
  const at = (now: number, position: string): void => {
    told.now = now;
    watch(position as Position);
  };
  return { told, at };
};

it('says once that nothing has moved for long', () => {
  const { told, at } = watching();
  at(1_000, '5');
  at(10_999, '5');
  expect(told.said).toEqual([]);
  at(11_000, '5');
  at(30_000, '5');
  expect(told.said).toHaveLength(1);
});

it('says nothing while it moves', () => {
  const { told, at } = watching();
  for (const second of [0, 9, 18, 27]) at(second * 1_000, String(second));
  expect(told.said).toEqual([]);
});

it('gives up once the service is gone', () => {
  const { told, at } = watching();
  told.served = false;
  expect(() => at(2_000, '1')).toThrow('the service has ended');
});
