import type { Bench } from '../bench.js';
import type { LoadReport } from '../load/load-plan.js';
import type { Figures } from '../row.js';

/** From this share of its time on, a generator may be what limits the rate. */
const busiest = 0.9;

/** The figures of a closed loop: how many answers a second, and how long the slowest hundredth took. */
export const loadFigures = (bench: Bench, { perSecond, latency, busy }: LoadReport): Figures => {
  if (busy > busiest) bench.note(`the load generator was busy ${Math.round(busy * 100)}% of its time: rates may be higher than it could ask for`);
  return { requests: perSecond, p99: latency.p99 };
};
