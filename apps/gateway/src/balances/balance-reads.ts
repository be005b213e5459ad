import { BalanceReader, Payouts, postingProjection, readPostedThrough } from '@refledger/balances';
import { LedgerConsistency, type PacedReads } from '@refledger/application';
import { MinuteMarks } from '@refledger/projections';
import {
  MoneyReads,
  BalanceLedger,
  CurrentBalances,
  Entries,
  PastBalances,
  Statements,
  PayoutEntries,
  RunPreviews,
  RunPayouts,
  type RecordReadsParts,
} from '@refledger/queries';
import { Exports } from '../exports/exports.js';
import type { GatewayParts } from '../gateway-parts.js';
import { LedgerStreams } from './ledger-streams.js';
import { RunFiles } from '../payouts/files/run-files.js';
import { EntryLists } from '../payouts/entry-lists.js';

/** Everything that reads balances, entries and statements. */
export interface BalanceReads {
  readonly entries: Entries;
  readonly current: CurrentBalances;
  readonly past: PastBalances;
  readonly ledger: BalanceLedger;
  readonly streams: LedgerStreams;
  readonly statements: Statements;
  readonly payouts: Payouts;
  readonly entryLists: EntryLists;
  readonly runFiles: RunFiles;
  readonly runPreviews: RunPreviews;
}

/** Assembles everything that reads balances, entries and statements. */
export const balanceReads = (
  { config, log, store, commands, consistency, waits, metrics }: GatewayParts,
  records: RecordReadsParts,
  pacedReads: PacedReads,
): BalanceReads => {
  const { consistencyTimeoutMs: timeoutMs, payoutConsistencyTimeoutMs } = config.http;
  const posting = {
    projection: postingProjection,
    postedThrough: () => readPostedThrough(store, log.id),
  };
  const parts = { consistency, store, posting, waits };
  const ledger = new LedgerConsistency({ ...parts, timeoutMs });
  const forPayouts = new LedgerConsistency({ ...parts, timeoutMs: payoutConsistencyTimeoutMs });
  const money = new MoneyReads(store, ledger);
  const reader = new BalanceReader(log);
  const marks = new MinuteMarks(store, log.id);
  const current = new CurrentBalances({ money, reader, commands, pacedReads });
  const streams = new LedgerStreams(metrics);
  const exports = new Exports(metrics);
  return {
    entries: new Entries(money),
    current,
    past: new PastBalances({ records, money, ledger, reader, current, marks, pacedReads }),
    ledger: new BalanceLedger({ money, reader, current, pacedReads }),
    streams,
    statements: new Statements({ log, money, reader, commands, pacedReads }),
    payouts: new Payouts({ log, commands, settle: (caller) => forPayouts.settleAtHead(caller) }),
    entryLists: new EntryLists(new PayoutEntries({ money, commands, pacedReads }), exports),
    runFiles: new RunFiles({
      payouts: new RunPayouts({ money, commands, consistency }),
      pacedReads,
      exports,
    }),
    runPreviews: new RunPreviews({ money, reader, commands, consistency, pacedReads }),
  };
};
