import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { Relay, type RelayOptions, type RelayStatus } from '@refledger/event-bus';
import { BatchStrategy } from '@refledger/platform/nest';
import { RelayController } from './relay.controller.js';

export interface RunningRelay {
  status(): RelayStatus;
  /** Ends after the current batch. Log and publication stay open. */
  close(): Promise<void>;
}

/** Runs the relay on a log and a publication that the caller opens and closes. */
export const startRelay = async (options: RelayOptions): Promise<RunningRelay> => {
  const relay = new Relay(options);
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(RelayModule.of(relay), {
    strategy: new BatchStrategy(relay),
    logger: false,
    abortOnError: false,
  });
  await app.listen();
  return { status: () => relay.status(), close: () => app.close() };
};

@Module({})
class RelayModule {
  static of(relay: Relay): DynamicModule {
    return {
      module: RelayModule,
      controllers: [RelayController],
      providers: [{ provide: Relay, useValue: relay }],
    };
  }
}
