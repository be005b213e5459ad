import {
  ErasureProcessor,
  erasuresName,
  PaidStatus,
  paidStatusName,
  PayoutRuns,
  payoutRunsName,
  Posting,
  postingName,
  type ErasureProcessorOptions,
  type PayoutRunsOptions,
  type PostingOptions,
} from '@refledger/balances';
import {
  measureProcessor,
  processorHealth,
  type Metrics,
  type PartHealth,
  type StartBatches,
} from '@refledger/platform';

export interface StartLedgerOptions
  extends
    Omit<PostingOptions, 'onStatus' | 'onPosted'>,
    Omit<PayoutRunsOptions, 'onStatus' | 'onDone'>,
    Omit<ErasureProcessorOptions, 'onStatus'> {
  readonly metrics: Metrics;
  /** Called whenever the health of one of the ledger's event processors has changed. */
  readonly report: (health: PartHealth) => void;
  readonly startBatches: StartBatches;
}

/**
 * Runs the ledger's event processors on a log and a store that the caller opens and closes. Closing
 * the ledger ends each after its current batch; a run and the paid status of sales may be left half
 * done.
 */
export const startLedger = async ({
  metrics,
  report,
  startBatches,
  ...options
}: StartLedgerOptions) => {
  const posting = new Posting({
    ...options,
    onStatus: (status) => report(processorHealth(postingName, status)),
    onPosted: ({ entries, conflicts }) => {
      metrics.ledgerEntries.inc(entries);
      metrics.ledgerConflicts.inc(conflicts);
    },
  });
  const runs = new PayoutRuns({
    ...options,
    onStatus: (status) => report(processorHealth(payoutRunsName, status)),
    onDone: (seconds) => metrics.payoutRunSeconds.observe(seconds),
  });
  const paidStatus = new PaidStatus({
    ...options,
    onStatus: (status) => report(processorHealth(paidStatusName, status)),
    onSkipped: () => metrics.ledgerConversionsPassedOver.inc(),
  });
  const erasures = new ErasureProcessor({
    ...options,
    onStatus: (status) => report(processorHealth(erasuresName, status)),
  });
  const apps = [
    await startBatches(posting, (batch) => posting.post(batch)),
    await startBatches(runs, (batch) => runs.handle(batch)),
    await startBatches(paidStatus, (batch) => paidStatus.follow(batch)),
    await startBatches(erasures, (batch) => erasures.handle(batch)),
  ];
  return {
    /** Sets the metrics that are looked up only when they are collected. */
    measure: () => {
      const status = posting.status();
      measureProcessor(metrics, postingName, status);
      measureProcessor(metrics, paidStatusName, paidStatus.status());
      measureProcessor(metrics, payoutRunsName, runs.status());
      measureProcessor(metrics, erasuresName, erasures.status());
      const { running, oldestSeconds } = erasures.figures();
      metrics.erasuresRunning.set(running);
      metrics.erasuresOldestAgeSeconds.set(oldestSeconds);
      metrics.ledgerLogTimeAheadSeconds.set(status.logTimeAheadSeconds);
    },
    close: async () => void (await Promise.all(apps.map((app) => app.close()))),
  };
};
