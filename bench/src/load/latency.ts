import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** Percentiles in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Collects latencies in an HDR histogram of microseconds with three significant figures. */
export class LatencyRecorder {
  private readonly histogram: RecordableHistogram = createHistogram({
    lowest: 1,
    highest: 600_000_000,
    figures: 3,
  });

  record(milliseconds: number): void {
    this.histogram.record(Math.max(1, Math.round(milliseconds * 1_000)));
  }

  get latency(): Latency {
    const percentileMs = (percentile: number): number =>
      this.histogram.percentile(percentile) / 1_000;
    return {
      p50: percentileMs(50),
      p95: percentileMs(95),
      p99: percentileMs(99),
      max: this.histogram.max / 1_000,
    };
  }

  get count(): number {
    return this.histogram.count;
  }
}
