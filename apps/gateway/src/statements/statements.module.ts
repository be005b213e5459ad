import { Module } from '@nestjs/common';
import { CommandHandler, ThrottledReads } from '@refledger/application';
import { BalanceReader } from '@refledger/balances';
import { PersonalData } from '@refledger/personal-data';
import { MoneyReads, Statements } from '@refledger/queries';
import { BalancesModule } from '../balances/balances.module.js';
import { provideFrom } from '../provide.js';
import { eventLogToken } from '../tokens.js';
import { StatementsController } from './statements.controller.js';

/** Statements of balances, and the account's summary of them. */
@Module({
  imports: [BalancesModule],
  controllers: [StatementsController],
  providers: [
    provideFrom(Statements, {
      log: eventLogToken,
      money: MoneyReads,
      reader: BalanceReader,
      commands: CommandHandler,
      throttledReads: ThrottledReads,
      personalData: PersonalData,
    }),
  ],
})
export class StatementsModule {}
