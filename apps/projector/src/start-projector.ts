import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { BatchStrategy } from '@refledger/platform/nest';
import {
  Projector,
  projections as allProjections,
  type ProjectorOptions,
  type ProjectorStatus,
} from '@refledger/projections';
import { ProjectorModule } from './projector.module.js';

export interface StartProjectorOptions extends Omit<ProjectorOptions, 'projections'> {
  /** Default: all of Refledger's projections. */
  readonly projections?: ProjectorOptions['projections'];
}

export interface RunningProjector {
  status(): ProjectorStatus;
  /**
   * Resolves once builds that have followed events missing from this log are dropped, as after a
   * restore of the log. Only then are the read models safe to read.
   */
  readonly planned: Promise<void>;
  /** Ends after the current batch. Log and store stay open. */
  close(): Promise<void>;
}

/** Runs the projector on a log and a store that the caller opens and closes. */
export const startProjector = async ({
  projections = allProjections,
  ...options
}: StartProjectorOptions): Promise<RunningProjector> => {
  const projector = new Projector({ ...options, projections });
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(ProjectorModule, {
    strategy: new BatchStrategy(projector),
    logger: false,
    abortOnError: false,
  });
  await app.listen();
  return {
    status: () => projector.status(),
    planned: projector.planned,
    close: () => app.close(),
  };
};
