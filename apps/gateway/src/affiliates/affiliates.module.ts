import { Module } from '@nestjs/common';
import { AffiliateCommands, CommandHandler } from '@refledger/application';
import { provideBy } from '../provide.js';
import { configToken } from '../tokens.js';
import { AffiliatesController } from './affiliates.controller.js';

@Module({
  controllers: [AffiliatesController],
  providers: [
    provideBy(
      AffiliateCommands,
      { commands: CommandHandler, config: configToken },
      ({ commands, config }) => new AffiliateCommands(commands, config.programAutoRegister),
    ),
  ],
})
export class AffiliatesModule {}
