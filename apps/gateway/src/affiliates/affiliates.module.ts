import { Module } from '@nestjs/common';
import { AffiliateCommands, CommandHandler } from '@refledger/application';
import { Keyring, PersonalData } from '@refledger/personal-data';
import { AffiliateSearch, ReadModels } from '@refledger/queries';
import { provideBy } from '../provide.js';
import { configToken } from '../tokens.js';
import { AffiliatesController } from './affiliates.controller.js';

@Module({
  controllers: [AffiliatesController],
  providers: [
    provideBy(
      AffiliateSearch,
      { readModels: ReadModels, personalData: PersonalData },
      ({ readModels, personalData }) => new AffiliateSearch(readModels, personalData),
    ),
    provideBy(
      AffiliateCommands,
      {
        commands: CommandHandler,
        personalData: PersonalData,
        keyring: Keyring,
        config: configToken,
      },
      ({ config: { programAutoRegister }, ...parts }) =>
        new AffiliateCommands({ ...parts, programAutoRegister }),
    ),
  ],
})
export class AffiliatesModule {}
