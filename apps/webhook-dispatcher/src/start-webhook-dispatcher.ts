import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { keepConsuming, type BusBatch } from '@refledger/event-bus';
import type { Metrics, PartHealth } from '@refledger/platform';
import { BatchStrategy } from '@refledger/platform/nest';
import {
  WebhookDispatcher,
  type DispatcherOptions,
  type DispatcherStatus,
} from '@refledger/webhooks';
import { attemptFigures, watch } from './dispatcher-figures.js';
import { DispatcherController } from './dispatcher.controller.js';

export interface WebhookDispatcherOptions extends Omit<DispatcherOptions, 'metrics'> {
  readonly metrics?: Metrics;
  /** Called whenever the dispatcher's health has changed. */
  readonly report?: (health: PartHealth) => void;
}

export interface RunningWebhookDispatcher {
  status(): DispatcherStatus;
  /**
   * Takes no more batches, waits for requests in flight, and records their outcomes. The caller
   * still closes the log, the bus, the store and the sender.
   */
  close(): Promise<void>;
}

/** Runs the dispatcher as a Nest microservice over the event bus. */
export const startWebhookDispatcher = async ({
  metrics,
  report = () => undefined,
  ...options
}: WebhookDispatcherOptions): Promise<RunningWebhookDispatcher> => {
  const { bus, store, logger } = options;
  const dispatcher = new WebhookDispatcher({
    ...options,
    ...(metrics && { metrics: attemptFigures(metrics) }),
  });
  const source = {
    run: (handle: (batch: BusBatch) => Promise<void>, signal: AbortSignal) =>
      keepConsuming({ bus, consumer: dispatcher, handle, signal }),
  };
  const app = await NestFactory.createMicroservice(DispatcherModule.of(dispatcher), {
    strategy: new BatchStrategy(source),
    logger: false,
    abortOnError: false,
  });
  const unwatch = watch({
    dispatcher,
    store,
    metrics,
    report,
    onFailure: (error) => logger.warn({ err: error }, 'measuring the webhook-dispatcher failed'),
  });
  await app.listen();
  return {
    status: () => dispatcher.status(),
    async close() {
      await app.close();
      await dispatcher.close({ deadlineMs: closeDeadlineMs });
      unwatch();
    },
  };
};

/** How long closing waits for requests in flight. */
const closeDeadlineMs = 5_000;

@Module({})
class DispatcherModule {
  static of(dispatcher: WebhookDispatcher): DynamicModule {
    return {
      module: DispatcherModule,
      controllers: [DispatcherController],
      providers: [{ provide: WebhookDispatcher, useValue: dispatcher }],
    };
  }
}
