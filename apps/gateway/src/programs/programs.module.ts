import { Module } from '@nestjs/common';
import { CommandHandler, Quotes, RecordHistory } from '@refledger/application';
import { KeyRegistry, TermsVersions } from '@refledger/queries';
import { provide, provideFrom } from '../provide.js';
import { eventLogToken } from '../tokens.js';
import { ProgramsController } from './programs.controller.js';

/** Programs and their terms. */
@Module({
  controllers: [ProgramsController],
  providers: [
    provideFrom(TermsVersions, { past: RecordHistory, keys: KeyRegistry }),
    provide(Quotes, [eventLogToken, CommandHandler]),
  ],
})
export class ProgramsModule {}
