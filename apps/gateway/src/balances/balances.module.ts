import { Module } from '@nestjs/common';
import {
  CommandHandler,
  Consistency,
  LedgerConsistency,
  ThrottledReads,
  PositionsAtTimes,
  RecordHistory,
} from '@refledger/application';
import { BalanceReader, postingProjection, readPostedThrough } from '@refledger/balances';
import { MinuteIndex } from '@refledger/projections';
import {
  BalanceLedger,
  CurrentBalances,
  Entries,
  MoneyReads,
  PastBalances,
} from '@refledger/queries';
import { PositionWaits } from '../http/limits/position-waits.js';
import { provide, provideBy, provideFrom } from '../provide.js';
import {
  configToken,
  eventLogToken,
  metricsToken,
  postingToken,
  readStoreToken,
} from '../tokens.js';
import { BalancesController } from './balances.controller.js';
import { EntriesController } from './entries.controller.js';
import { LedgerStreams } from './ledger-streams.js';

/** What statements and payouts need too. */
const shared = [
  provideBy(postingToken, { store: readStoreToken, log: eventLogToken }, ({ store, log }) => ({
    projection: postingProjection,
    postedThrough: () => readPostedThrough(store, log.id),
  })),
  provideBy(
    LedgerConsistency,
    {
      consistency: Consistency,
      store: readStoreToken,
      posting: postingToken,
      waits: PositionWaits,
      config: configToken,
    },
    ({ config, ...parts }) =>
      new LedgerConsistency({ ...parts, timeoutMs: config.http.consistencyTimeoutMs }),
  ),
  provide(MoneyReads, [readStoreToken, LedgerConsistency]),
  provide(BalanceReader, [eventLogToken]),
  provide(LedgerStreams, [metricsToken]),
];

/** Balances and their entries. */
@Module({
  controllers: [BalancesController, EntriesController],
  providers: [
    ...shared,
    provide(Entries, [MoneyReads]),
    provideFrom(CurrentBalances, {
      money: MoneyReads,
      reader: BalanceReader,
      commands: CommandHandler,
      throttledReads: ThrottledReads,
    }),
    provideBy(
      MinuteIndex,
      { store: readStoreToken, log: eventLogToken },
      ({ store, log }) => new MinuteIndex(store, log.id),
    ),
    provideFrom(PastBalances, {
      past: RecordHistory,
      commands: CommandHandler,
      consistency: Consistency,
      times: PositionsAtTimes,
      money: MoneyReads,
      ledger: LedgerConsistency,
      reader: BalanceReader,
      current: CurrentBalances,
      minuteIndex: MinuteIndex,
      throttledReads: ThrottledReads,
    }),
    provideFrom(BalanceLedger, {
      money: MoneyReads,
      reader: BalanceReader,
      current: CurrentBalances,
      throttledReads: ThrottledReads,
    }),
  ],
  exports: shared,
})
export class BalancesModule {}
