import { Module } from '@nestjs/common';
import {
  CommandHandler,
  Consistency,
  PositionsAtTimes,
  Quotes,
  RecordHistory,
} from '@refledger/application';
import { KeyRegistry } from '@refledger/queries';
import { provide, provideFrom } from '../provide.js';
import { eventLogToken } from '../tokens.js';
import { ProgramsController } from './programs.controller.js';
import { TermsVersions } from './terms-versions.js';

/** Programs and their terms. */
@Module({
  controllers: [ProgramsController],
  providers: [
    provideFrom(TermsVersions, {
      past: RecordHistory,
      commands: CommandHandler,
      consistency: Consistency,
      keys: KeyRegistry,
      times: PositionsAtTimes,
    }),
    provide(Quotes, [eventLogToken, CommandHandler]),
  ],
})
export class ProgramsModule {}
