import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { BatchStrategy } from './batch.strategy.js';
import { startBatches as withoutNest, type StartBatches } from '../batches.js';
import { startBatches as onNest } from './start-batches.js';

class Poison extends Error {}
class Deaf {}

it.each<[string, StartBatches]>([
  ['on Nest', onNest],
  ['without Nest', withoutNest],
])('%s: the handler takes whole batches, and its errors reach the source', async (_how, start) => {
  const added: number[][] = [];
  const outcomes: unknown[] = [];
  let aborted = false;
  const app = await start<number[]>(
    {
      run: async (deliver, signal) => {
        for (const batch of [[1, 2], [0], [3]])
          outcomes.push(await deliver(batch).catch((error: unknown) => error));
        if (!signal.aborted)
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        aborted = true;
      },
    },
    async (batch) => {
      await Promise.resolve();
      if (batch.includes(0)) throw new Poison('zero');
      added.push(batch);
    },
  );

  await app.close();

  expect(added).toEqual([[1, 2], [3]]);
  expect(outcomes).toEqual([undefined, expect.any(Poison), undefined]);
  expect(aborted).toBe(true);
});

it('does not start without a handler', async () => {
  const strategy = new BatchStrategy({ run: () => Promise.reject(new Error('must not run')) });
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(
    { module: Deaf },
    { strategy, logger: false, abortOnError: false },
  );
  await expect(app.listen()).rejects.toThrow('no controller handles batches');
});
