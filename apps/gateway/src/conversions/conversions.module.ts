import { Module } from '@nestjs/common';
import { CommandHandler, ConversionCommands } from '@refledger/application';
import { provide, provideFrom } from '../provide.js';
import { loggerToken, metricsToken } from '../tokens.js';
import { ConversionsController } from './conversions.controller.js';
import { SalesWithoutTerms } from './sales-without-terms.js';

@Module({
  controllers: [ConversionsController],
  providers: [
    provide(ConversionCommands, [CommandHandler]),
    provideFrom(SalesWithoutTerms, { metrics: metricsToken, logger: loggerToken }),
  ],
})
export class ConversionsModule {}
