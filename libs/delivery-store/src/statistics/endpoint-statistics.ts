import type { AttemptOutcome, DeliveryStatus } from '@refledger/contracts';
import type { Histogram } from './histogram.js';

/** How a delivery can end. */
type FinalStatus = Extract<DeliveryStatus, 'succeeded' | 'failed' | 'canceled'>;

/** What became of the deliveries of an endpoint in some span of time, without tests. */
export interface EndpointStatistics {
  /** The deliveries that ended. */
  readonly deliveries: Counts<FinalStatus>;
  /** The attempts that ended. */
  readonly attempts: Counts<AttemptOutcome>;
  /** How long attempts with a known end took. */
  readonly durations: Histogram;
  /** The time from each event to the success of its delivery. */
  readonly timesToSuccess: Histogram;
}

/** Numbers by name; those that are 0 may be absent. */
type Counts<Name extends string> = Readonly<Partial<Record<Name, number>>>;

/** Several statistics as one. */
export const sumOf = (all: Iterable<Partial<EndpointStatistics>>): EndpointStatistics => {
  const sum = new StatisticsSum();
  for (const one of all) sum.add(one);
  return sum.counts;
};

/** Statistics that grow. */
export class StatisticsSum {
  private readonly numbers: Record<keyof EndpointStatistics, Record<string, number>> = {
    deliveries: {},
    attempts: {},
    durations: {},
    timesToSuccess: {},
  };

  get counts(): EndpointStatistics {
    return this.numbers;
  }

  add({ deliveries, attempts, durations, timesToSuccess }: Partial<EndpointStatistics>): void {
    const { numbers } = this;
    if (deliveries !== undefined) addTo(numbers.deliveries, deliveries);
    if (attempts !== undefined) addTo(numbers.attempts, attempts);
    if (durations !== undefined) addTo(numbers.durations, durations);
    if (timesToSuccess !== undefined) addTo(numbers.timesToSuccess, timesToSuccess);
  }
}

const addTo = (sum: Record<string, number>, counts: Readonly<Record<string, number>>): void => {
  for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
};
