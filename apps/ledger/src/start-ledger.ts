import { Posting, postingName, type PostingOptions } from '@refledger/balances';
import {
  measureProcessor,
  processorHealth,
  type Metrics,
  type PartHealth,
} from '@refledger/platform';
import { startBatches } from '@refledger/platform/nest';

export interface StartLedgerOptions extends Omit<PostingOptions, 'onStatus' | 'onPosted'> {
  readonly metrics: Metrics;
  /** Called whenever the health of one of the ledger's event processors has changed. */
  readonly report: (health: PartHealth) => void;
}

/**
 * Runs posting on a log and a store that the caller opens and closes. Closing the ledger ends it
 * after the current batch.
 */
export const startLedger = async ({ metrics, report, ...options }: StartLedgerOptions) => {
  const posting = new Posting({
    ...options,
    onStatus: (status) => report(processorHealth(postingName, status)),
    onPosted: ({ entries, conflicts }) => {
      metrics.ledgerEntries.inc(entries);
      metrics.ledgerConflicts.inc(conflicts);
    },
  });
  const app = await startBatches(posting, (batch) => posting.post(batch));
  return {
    /** Sets the metrics that are looked up only when they are collected. */
    measure: () => {
      const status = posting.status();
      measureProcessor(metrics, postingName, status);
      metrics.ledgerLogTimeAheadSeconds.set(status.logTimeAheadSeconds);
    },
    close: () => app.close(),
  };
};
