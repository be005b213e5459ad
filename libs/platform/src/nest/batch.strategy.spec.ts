import 'reflect-metadata';
import { Controller, UseFilters, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern, Payload, type MicroserviceOptions } from '@nestjs/microservices';
import { batches, BatchStrategy, type BatchSource } from './batch.strategy.js';
import { HandlerErrors } from './handler-errors.filter.js';

class Poison extends Error {}

@Controller()
@UseFilters(HandlerErrors)
class Sums {
  @EventPattern<string>(batches) async add(@Payload() batch: number[]): Promise<void> {
    await Promise.resolve();
    if (batch.includes(0)) throw new Poison('zero');
    added.push(batch);
  }
}

@Controller()
class Deaf {}

let added: number[][];
beforeEach(() => (added = []));

class TestModule {}

const listen = async (source: BatchSource<number[]>, controller: Type = Sums) => {
  const strategy = new BatchStrategy(source);
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(
    { module: TestModule, controllers: [controller] },
    { strategy, logger: false, abortOnError: false },
  );
  await app.listen();
  return app;
};

it('hands each batch whole to the handler, and its errors as they are to the source', async () => {
  const outcomes: unknown[] = [];
  let aborted = false;
  const app = await listen({
    run: async (deliver, signal) => {
      for (const batch of [[1, 2], [0], [3]])
        outcomes.push(await deliver(batch).catch((error: unknown) => error));
      if (!signal.aborted)
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted = true;
    },
  });

  await app.close();

  expect(added).toEqual([[1, 2], [3]]);
  expect(outcomes).toEqual([undefined, expect.any(Poison), undefined]);
  expect(aborted).toBe(true);
});

it('does not start without a handler', async () => {
  await expect(
    listen({ run: () => Promise.reject(new Error('must not run')) }, Deaf),
  ).rejects.toThrow('no controller handles batches');
});
