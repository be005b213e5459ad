import type { Clock } from './clock.js';

export interface ConstantRate<Lane extends object> {
  readonly perSecond: number;
  readonly count: number;
  /** The connections. Each sends one request at a time. */
  readonly lanes: readonly Lane[];
  readonly clock: Clock;
  /** Sends the n-th request, from 0, that was due at `intended`. */
  readonly send: (lane: Lane, n: number, intended: number) => Promise<void>;
}

/**
 * An open loop: requests are due by the clock alone, whether or not earlier ones were answered. A
 * request that finds no free lane waits for one and keeps its due time, so a latency measured from
 * `intended` includes that wait. A stall of the server then shows in every request that was due
 * meanwhile, not only in those that it had accepted (no coordinated omission).
 */
export const runAtConstantRate = async <Lane extends object>({
  perSecond,
  count,
  lanes,
  clock,
  send,
}: ConstantRate<Lane>): Promise<void> => {
  const free = [...lanes];
  const late: DueRequest[] = [];
  const running: Promise<void>[] = [];
  const work = async (lane: Lane, first: DueRequest): Promise<void> => {
    for (let due: DueRequest | undefined = first; due !== undefined; due = late.shift())
      await send(lane, due.n, due.intended);
    free.push(lane);
  };
  const begin = clock.now();
  for (let n = 0; n < count; n++) {
    const due = { n, intended: begin + (n * 1_000) / perSecond };
    await clock.sleepUntil(due.intended);
    // lanes take turns, because a server closes a connection that is idle for too long
    const lane = free.shift();
    if (lane === undefined) late.push(due);
    else running.push(work(lane, due));
  }
  await Promise.all(running);
};

interface DueRequest {
  readonly n: number;
  readonly intended: number;
}
