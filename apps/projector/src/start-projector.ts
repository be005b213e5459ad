import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { BatchStrategy } from '@refledger/platform/nest';
import {
  Projection,
  views as allViews,
  type ProjectionOptions,
  type ProjectionStatus,
} from '@refledger/views';
import { ProjectorModule } from './projector.module.js';

export interface ProjectorOptions extends Omit<ProjectionOptions, 'views'> {
  /** Default all of them. */
  readonly views?: ProjectionOptions['views'];
}

export interface Projector {
  status(): ProjectionStatus;
  /** Resolves once builds that are not of this log's history are gone: only then are the read models safe to read. */
  readonly planned: Promise<void>;
  /** Ends after the batch under way. Log and store stay open. */
  close(): Promise<void>;
}

/** Runs the projector on a log and a store that the caller opens and closes. */
export const startProjector = async ({
  views = allViews,
  ...options
}: ProjectorOptions): Promise<Projector> => {
  const projection = new Projection({ ...options, views });
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(ProjectorModule, {
    strategy: new BatchStrategy(projection),
    logger: false,
    abortOnError: false,
  });
  await app.listen();
  return {
    status: () => projection.status(),
    planned: projection.planned,
    close: () => app.close(),
  };
};
