import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of one thread or process. Times are in seconds, as is usual for Prometheus. */
export interface Metrics {
  readonly registry: Registry;
  readonly requestSeconds: Histogram<'operation' | 'status'>;
  /**
   * Plain numbers, since they change twice per request. The gauge reads them when the metrics are
   * collected.
   */
  readonly requestsInFlight: Record<'read' | 'write', number>;
  /** Reads that wait for a position. They do not count as in flight meanwhile. */
  readonly readsWaiting: { count: number };
  readonly requestsRejected: Counter<'kind'>;
  readonly slowClientDisconnects: Counter;
  readonly appendBatchEvents: Histogram;
  readonly appendBatchSeconds: Histogram;
  readonly processorLagSeconds: Gauge<'processor'>;
  readonly processorLagPositions: Gauge<'processor'>;
  readonly processorStopped: Gauge<'processor'>;
  readonly attempts: Counter<'outcome'>;
  readonly attemptSeconds: Histogram;
  readonly deliverySeconds: Histogram;
  readonly deliveries: Gauge<'status'>;
}

/** Registers every metric, at zero. */
export const newMetrics = (): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    ...requestMetrics(registers),
    ...appendMetrics(registers),
    ...processorMetrics(registers),
    ...webhookMetrics(registers),
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
  const requestsInFlight = { read: 0, write: 0 };
  const readsWaiting = { count: 0 };
  new Gauge({
    registers,
    name: 'refledger_http_requests_in_flight',
    help: 'Reads and writes that are being carried out.',
    labelNames: ['kind'],
    collect() {
      for (const [kind, count] of Object.entries(requestsInFlight)) this.set({ kind }, count);
    },
  });
  new Gauge({
    registers,
    name: 'refledger_http_reads_waiting',
    help: 'Reads that wait until a read model has reached a position.',
    collect() {
      this.set(readsWaiting.count);
    },
  });
  return {
    requestSeconds: new Histogram({
      registers,
      name: 'refledger_http_request_duration_seconds',
      help: 'From the first byte of a request to the last of its answer.',
      labelNames: ['operation', 'status'],
      buckets: fast,
    }),
    requestsInFlight,
    readsWaiting,
    requestsRejected: new Counter({
      registers,
      name: 'refledger_http_requests_rejected_total',
      help: 'Reads and writes that were refused because the service had as much to do as it can bear.',
      labelNames: ['kind'],
    }),
    slowClientDisconnects: new Counter({
      registers,
      name: 'refledger_http_slow_client_disconnects_total',
      help: 'Connections that were closed because their clients did not read the answers.',
    }),
  };
};

const appendMetrics = (registers: Registers) => ({
  appendBatchEvents: new Histogram({
    registers,
    name: 'refledger_append_batch_events',
    help: 'Events that were made durable together.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
  }),
  appendBatchSeconds: new Histogram({
    registers,
    name: 'refledger_append_batch_duration_seconds',
    help: 'Time that one group of appends took, its fsync included.',
    buckets: fast,
  }),
});

const processorMetrics = (registers: Registers) => ({
  processorLagSeconds: new Gauge({
    registers,
    name: 'refledger_processor_lag_seconds',
    help: 'Age of the oldest event that a processor has not dealt with; 0 at the head.',
    labelNames: ['processor'],
  }),
  processorLagPositions: new Gauge({
    registers,
    name: 'refledger_processor_lag_positions',
    help: 'How far a processor is behind the head of the log, in positions.',
    labelNames: ['processor'],
  }),
  processorStopped: new Gauge({
    registers,
    name: 'refledger_processor_stopped',
    help: '1 while a processor has stopped and waits for an operator.',
    labelNames: ['processor'],
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
    help: 'Time that one request to a webhook endpoint took.',
    buckets: fast,
  }),
  deliverySeconds: new Histogram({
    registers,
    name: 'refledger_webhook_delivery_latency_seconds',
    help: 'From an event being recorded to its delivery having succeeded.',
    buckets: [...fast, 30, 60, 300, 3600, 86_400],
  }),
  deliveries: new Gauge({
    registers,
    name: 'refledger_webhook_deliveries',
    help: 'Deliveries in the store by status.',
    labelNames: ['status'],
  }),
});
