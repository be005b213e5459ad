import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of one thread or process. Times are in seconds, as is usual for Prometheus. */
export type Metrics = Readonly<ReturnType<typeof newMetrics>>;

/** Registers every metric, at zero. */
export const newMetrics = () => {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    ...requestMetrics(registers),
    ...appendMetrics(registers),
    ...recordMetrics(registers),
    ...processorMetrics(registers),
    ...ledgerMetrics(registers),
    ...webhookMetrics(registers),
    ...personalDataMetrics(registers),
  };
};

/** Returns the metrics of several threads together, as text. */
export const joinMetrics = (snapshots: readonly object[][]): Promise<string> =>
  AggregatorRegistry.aggregate([...snapshots]).metrics();

export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE;

type Registers = Registry[];

/** The buckets of durations, in seconds. */
const fast = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const requestMetrics = (registers: Registers) => {
  // Plain numbers, since they change twice per request. The gauges read them when the metrics are
  // collected.
  const requestsInFlight = { read: 0, write: 0 };
  /** Reads that wait for a position. They do not count as in flight meanwhile. */
  const readsWaiting = { count: 0 };
  new Gauge({
    registers,
    name: 'refledger_http_requests_in_flight',
    help: 'Reads and writes in flight.',
    labelNames: ['kind'],
    collect() {
      for (const [kind, count] of Object.entries(requestsInFlight)) this.set({ kind }, count);
    },
  });
  new Gauge({
    registers,
    name: 'refledger_http_reads_waiting',
    help: 'Reads that wait for a read model to reach a position, or for their turn to read many events.',
    collect() {
      this.set(readsWaiting.count);
    },
  });
  return {
    importsInFlight: new Gauge({
      registers,
      name: 'refledger_http_imports_in_flight',
      help: 'Imports in flight. They do not count as writes in flight, and neither do their lines.',
    }),
    requestSeconds: new Histogram({
      registers,
      name: 'refledger_http_request_duration_seconds',
      help: 'Time from the first byte of a request to the last byte of its response.',
      labelNames: ['operation', 'status'],
      buckets: fast,
    }),
    requestsInFlight,
    readsWaiting,
    requestsRejected: new Counter({
      registers,
      name: 'refledger_http_requests_rejected_total',
      help: 'Reads and writes that were rejected because the service was overloaded.',
      labelNames: ['kind'],
    }),
    slowClientDisconnects: new Counter({
      registers,
      name: 'refledger_http_slow_client_disconnects_total',
      help: 'Connections that were closed because their clients did not read the responses.',
    }),
  };
};

const appendMetrics = (registers: Registers) => ({
  appendBatchEvents: new Histogram({
    registers,
    name: 'refledger_append_batch_events',
    help: 'Events that one commit made durable together.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
  }),
  appendBatchSeconds: new Histogram({
    registers,
    name: 'refledger_append_batch_duration_seconds',
    help: 'Time to commit one group of appends, fsync included.',
    buckets: fast,
  }),
});

const recordMetrics = (registers: Registers) => ({
  conversionsWithoutTerms: new Counter({
    registers,
    name: 'refledger_conversions_without_terms_total',
    help: 'Conversions that were recorded without a commission, because there were no terms.',
  }),
});

const processorMetrics = (registers: Registers) => ({
  processorLagSeconds: new Gauge({
    registers,
    name: 'refledger_processor_lag_seconds',
    help: 'Age of the oldest event that a processor has not handled; 0 at the head.',
    labelNames: ['processor'],
  }),
  processorLagPositions: new Gauge({
    registers,
    name: 'refledger_processor_lag_positions',
    help: 'Positions between a processor and the head of the log.',
    labelNames: ['processor'],
  }),
  processorPosition: new Gauge({
    registers,
    name: 'refledger_processor_position',
    help: 'Position of the log up to which a processor has handled every event; none while it stands by.',
    labelNames: ['processor'],
  }),
  processorStopped: new Gauge({
    registers,
    name: 'refledger_processor_stopped',
    help: '1 while a processor is stopped and needs an operator, else 0.',
    labelNames: ['processor'],
  }),
  processorSendsNothing: new Gauge({
    registers,
    name: 'refledger_processor_sends_nothing',
    help: '1 while a processor sends nothing because OUTGOING is off or the directory is a backup, else 0.',
    labelNames: ['processor'],
  }),
});

const ledgerMetrics = (registers: Registers) => ({
  ledgerEntries: new Counter({
    registers,
    name: 'refledger_ledger_entries_total',
    help: 'Entries posted to balances.',
  }),
  ledgerConflicts: new Counter({
    registers,
    name: 'refledger_ledger_conflicts_total',
    help: 'Appends to balances that were retried because the balance had changed in the meantime.',
  }),
  payoutRunSeconds: new Histogram({
    registers,
    name: 'refledger_payout_run_seconds',
    help: 'Time to carry out a payout run or a mark, in seconds.',
    buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800],
  }),
  ledgerConversionsPassedOver: new Counter({
    registers,
    name: 'refledger_ledger_conversions_skipped_total',
    help: 'Conversions that the paid-status processor skipped because they refused its event.',
  }),
  ledgerLogTimeAheadSeconds: new Gauge({
    registers,
    name: 'refledger_ledger_log_time_ahead_seconds',
    help: "How far log time is ahead of the ledger's clock; 0 if it is not.",
  }),
});

const webhookMetrics = (registers: Registers) => ({
  attempts: new Counter({
    registers,
    name: 'refledger_webhook_attempts_total',
    help: 'Requests sent to webhook endpoints.',
    labelNames: ['outcome'],
  }),
  attemptSeconds: new Histogram({
    registers,
    name: 'refledger_webhook_attempt_duration_seconds',
    help: 'Duration of one request to a webhook endpoint.',
    buckets: fast,
  }),
  deliverySeconds: new Histogram({
    registers,
    name: 'refledger_webhook_delivery_latency_seconds',
    help: 'Time from the recording of an event to its successful delivery.',
    buckets: [...fast, 30, 60, 300, 3600, 86_400],
  }),
  endpointsLagSeconds: new Gauge({
    registers,
    name: 'refledger_webhook_endpoints_lag_seconds',
    help: 'Age of the oldest change to an endpoint that the dispatcher does not know yet; 0 if it knows all.',
  }),
  deliveries: new Gauge({
    registers,
    name: 'refledger_webhook_deliveries',
    help: 'Deliveries in the store by status.',
    labelNames: ['status'],
  }),
});

const personalDataMetrics = (registers: Registers) => ({
  erasuresRunning: new Gauge({
    registers,
    name: 'refledger_erasures_running',
    help: 'Erasures of affiliates that the ledger has read and whose key is not destroyed yet.',
  }),
  erasuresOldestAgeSeconds: new Gauge({
    registers,
    name: 'refledger_erasures_oldest_age_seconds',
    help: 'Seconds since the oldest running erasure was recorded; 0 if none runs.',
  }),
  personalKeys: new Gauge({
    registers,
    name: 'refledger_personal_keys',
    help: 'Owners in the key store: with a key (active), or erased.',
    labelNames: ['state'],
  }),
});
