import { Module } from '@nestjs/common';
import { AffiliateCommands, CommandHandler, Erasures } from '@refledger/application';
import { BalanceReader, OpenPayouts } from '@refledger/balances';
import { Keyring, PersonalData } from '@refledger/personal-data';
import { AffiliateSearch, ReadModels } from '@refledger/queries';
import { BalancesModule } from '../balances/balances.module.js';
import { provide, provideBy, provideFrom } from '../provide.js';
import { configToken, eventLogToken, keyStoreToken, loggerToken } from '../tokens.js';
import { AffiliatesController } from './affiliates.controller.js';
import { ErasuresController } from './erasures.controller.js';

@Module({
  imports: [BalancesModule],
  controllers: [AffiliatesController, ErasuresController],
  providers: [
    provide(OpenPayouts, [BalanceReader, CommandHandler]),
    provideFrom(Erasures, {
      commands: CommandHandler,
      log: eventLogToken,
      keys: keyStoreToken,
      openPayouts: OpenPayouts,
      logger: loggerToken,
    }),
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
