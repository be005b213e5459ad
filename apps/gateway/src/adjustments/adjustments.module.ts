import { Module } from '@nestjs/common';
import { AdjustmentCommands, CommandHandler } from '@refledger/application';
import { provide } from '../provide.js';
import { AdjustmentsController } from './adjustments.controller.js';

/** Adjustments of balances. */
@Module({
  controllers: [AdjustmentsController],
  providers: [provide(AdjustmentCommands, [CommandHandler])],
})
export class AdjustmentsModule {}
