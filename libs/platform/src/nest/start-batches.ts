import 'reflect-metadata';
import { Catch, Controller, Inject, UseFilters, type RpcExceptionFilter } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern, Payload, type MicroserviceOptions } from '@nestjs/microservices';
import { throwError, type Observable } from 'rxjs';
import type { StartBatches } from '../batches.js';
import { batches, BatchStrategy } from './batch.strategy.js';

/** Starts a source as a Nest microservice, whose controller passes each whole batch to `handle`. */
export const startBatches: StartBatches = async (source, handle) => {
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(
    {
      module: BatchModule,
      controllers: [BatchController],
      providers: [{ provide: handlerToken, useValue: handle }],
    },
    { strategy: new BatchStrategy(source), logger: false, abortOnError: false },
  );
  await app.listen();
  return app;
};

/**
 * Passes on a handler's error unchanged. Nest's own filter would turn it into 'Internal server
 * error'.
 */
@Catch()
class HandlerErrors implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

const handlerToken = Symbol('handler');

@Controller()
@UseFilters(HandlerErrors)
class BatchController {
  constructor(@Inject(handlerToken) private readonly handle: (batch: unknown) => Promise<void>) {}

  @EventPattern<string>(batches)
  handleBatch(@Payload() batch: unknown): Promise<void> {
    return this.handle(batch);
  }
}

class BatchModule {}
