import type { Bench } from '../bench.js';
import type { LoadReport } from '../load/load-plan.js';
import type { Figure, Figures } from '../row.js';
import { cpuIsKnown, cpuSeconds } from '../service/process-use.js';

/**
 * The figures of a closed loop: responses per second, the 99th percentile of the latency, and the
 * CPU time that the server spent on each response, which other work on the machine hardly changes.
 * `ratio` is the goal for the responses per second, if there is one.
 */
export const closedLoopFigures = (ratio?: number): readonly Figure[] => [
  {
    name: 'requests',
    unit: '/s',
    goals: ratio === undefined ? [] : [{ of: 'ratio', atLeast: ratio }],
  },
  { name: 'p99', unit: 'ms', goals: [] },
  ...(cpuIsKnown ? [{ name: 'CPU per request', unit: 'µs', goals: [] } as const] : []),
];

/** Runs a closed loop against a server, and measures the CPU time of its process. */
export const measureClosedLoop = async (
  bench: Bench,
  server: { readonly pid: number },
  run: () => Promise<LoadReport>,
): Promise<Figures> => {
  const before = cpuIsKnown ? cpuSeconds(server.pid) : 0;
  const { perSecond, latency, answered, busy } = await run();
  if (busy > busiest)
    bench.note(
      `the load generator was busy ${Math.round(busy * 100)}% of the time, so the true rate may be higher`,
    );
  return {
    requests: perSecond,
    p99: latency.p99,
    ...(cpuIsKnown && { 'CPU per request': ((cpuSeconds(server.pid) - before) * 1e6) / answered }),
  };
};

/** A generator that is busy for at least this share of its time may be what limits the rate. */
const busiest = 0.9;
