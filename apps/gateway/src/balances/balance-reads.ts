import { BalanceReader, postingProjection, readPostedThrough } from '@refledger/balances';
import { LedgerConsistency, type PacedReads } from '@refledger/application';
import { MinuteMarks } from '@refledger/projections';
import type { GatewayParts } from '../gateway.module.js';
import type { RecordReadsParts } from '../history/record-reads.js';
import { BalanceLedger } from './balance-ledger.js';
import { CurrentBalances } from './current-balances.js';
import { LedgerStreams } from './ledger-streams.js';
import { MoneyReads } from './money-reads.js';
import { PastBalances } from './past-balances.js';

/** Everything that reads balances and entries. */
export interface BalanceReads {
  readonly money: MoneyReads;
  readonly current: CurrentBalances;
  readonly past: PastBalances;
  readonly ledger: BalanceLedger;
}

/** Assembles everything that reads balances and entries. */
export const balanceReads = (
  { config, log, store, commands, consistency, waits, metrics }: GatewayParts,
  records: RecordReadsParts,
  pacedReads: PacedReads,
): BalanceReads => {
  const { consistencyTimeoutMs: timeoutMs } = config.http;
  const posting = {
    projection: postingProjection,
    postedThrough: () => readPostedThrough(store, log.id),
  };
  const ledger = new LedgerConsistency({ consistency, store, posting, waits, timeoutMs });
  const money = new MoneyReads(store, ledger);
  const reader = new BalanceReader(log);
  const marks = new MinuteMarks(store, log.id);
  const current = new CurrentBalances({ money, reader, commands, pacedReads });
  const streams = new LedgerStreams(metrics);
  return {
    money,
    current,
    past: new PastBalances({ records, money, ledger, reader, current, marks, pacedReads }),
    ledger: new BalanceLedger({ money, reader, current, streams, pacedReads }),
  };
};
