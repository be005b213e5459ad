import { toInstant, type StatsPeriod } from '@refledger/contracts';

/** How a period is divided into points. The last one is in progress. */
export interface PeriodPoints {
  readonly pointMs: number;
  readonly points: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * The points of each period. They begin at whole minutes, hours, quarters of a day or days, in UTC.
 */
export const pointsOf = {
  '1h': { pointMs: minuteMs, points: 60 },
  '24h': { pointMs: hourMs, points: 24 },
  '7d': { pointMs: 6 * hourMs, points: 28 },
  '30d': { pointMs: 24 * hourMs, points: 30 },
} as const satisfies Record<StatsPeriod, PeriodPoints>;

/** The start of the point that contains a time, which is in milliseconds since 1970. */
export const startOfPoint = (period: StatsPeriod, at: number): string =>
  toInstant(at - (at % pointsOf[period].pointMs));
