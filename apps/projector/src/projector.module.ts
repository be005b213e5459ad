import { Module } from '@nestjs/common';
import { ProjectorController } from './projector.controller.js';

@Module({ controllers: [ProjectorController] })
export class ProjectorModule {}
