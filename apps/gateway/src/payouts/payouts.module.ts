import { tmpdir } from 'node:os';
import { Module } from '@nestjs/common';
import {
  CommandHandler,
  Consistency,
  LedgerConsistency,
  ThrottledReads,
  PayoutRunCommands,
} from '@refledger/application';
import { BalanceReader, Payouts } from '@refledger/balances';
import { PersonalData } from '@refledger/personal-data';
import { MoneyReads, PayoutEntries, RunPayouts, RunPreviews } from '@refledger/queries';
import { BalancesModule } from '../balances/balances.module.js';
import { Exports } from '../exports/exports.js';
import { PositionWaits } from '../http/limits/position-waits.js';
import { Imports } from '../imports/imports.js';
import { provide, provideBy, provideFrom } from '../provide.js';
import {
  configToken,
  eventLogToken,
  loggerToken,
  metricsToken,
  postingToken,
  readStoreToken,
} from '../tokens.js';
import { EntryLists } from './entry-lists.js';
import { RunFiles } from './files/run-files.js';
import { PayoutRunsController } from './payout-runs.controller.js';
import { PayoutsController } from './payouts.controller.js';

/** A payout may wait longer for posting than a read. */
const payouts = provideBy(
  Payouts,
  {
    log: eventLogToken,
    commands: CommandHandler,
    consistency: Consistency,
    store: readStoreToken,
    posting: postingToken,
    waits: PositionWaits,
    config: configToken,
  },
  ({ log, commands, config, ...parts }) => {
    const { payoutConsistencyTimeoutMs: timeoutMs } = config.http;
    const ledger = new LedgerConsistency({ ...parts, timeoutMs });
    return new Payouts({ log, commands, settle: (caller) => ledger.settleAtHead(caller) });
  },
);

const imports = provideBy(
  Imports,
  { config: configToken, consistency: Consistency, metrics: metricsToken, logger: loggerToken },
  ({ config, ...parts }) =>
    new Imports({
      ...parts,
      // only the embedded service has a data directory
      directory: config.engines.mode === 'embedded' ? config.dataDir : tmpdir(),
      maxBytes: config.http.maxImportBytes,
    }),
);

/** Payouts and payout runs. */
@Module({
  imports: [BalancesModule],
  controllers: [PayoutsController, PayoutRunsController],
  providers: [
    payouts,
    imports,
    provide(PayoutRunCommands, [CommandHandler]),
    provideFrom(PayoutEntries, {
      money: MoneyReads,
      commands: CommandHandler,
      throttledReads: ThrottledReads,
    }),
    provide(EntryLists, [PayoutEntries, Exports]),
    provideFrom(RunPayouts, {
      money: MoneyReads,
      commands: CommandHandler,
      consistency: Consistency,
      personalData: PersonalData,
    }),
    provideFrom(RunFiles, {
      payouts: RunPayouts,
      throttledReads: ThrottledReads,
      exports: Exports,
    }),
    provideFrom(RunPreviews, {
      money: MoneyReads,
      reader: BalanceReader,
      commands: CommandHandler,
      consistency: Consistency,
      throttledReads: ThrottledReads,
    }),
  ],
})
export class PayoutsModule {}
