import { performance } from 'node:perf_hooks';
import { machineClock } from './clock.js';
import { runClosedLoop } from './closed-loop.js';
import { runAtConstantRate } from './constant-rate.js';
import { headerOf, HttpConnection, type HttpResponse } from './http-connection.js';
import { LatencyRecorder } from './latency.js';
import type {
  AcknowledgedWrite,
  LoadPlan,
  LoadReport,
  NewConversions,
  LoadShape,
} from './load-plan.js';
import { ReadsAfterWrites } from './reads-after-writes.js';
import { requestsOf } from './requests.js';

/**
 * Carries out a plan over new connections. Rejects when a connection breaks: a missing response is
 * a failure, not a figure.
 */
export const runLoad = async (plan: LoadPlan): Promise<LoadReport> => {
  const connections = await Promise.all(
    Array.from({ length: plan.connections }, () => HttpConnection.open(plan.origin)),
  );
  const requestOf = requestsOf(plan);
  const keeps = plan.requests.kind === 'new conversions' ? plan.requests : undefined;
  const readsAfter = keeps?.readAfter && new ReadsAfterWrites(plan.origin, keeps.readAfter);
  const latencies = new LatencyRecorder();
  const responses: AcknowledgedWrite[] = [];
  const wrongs: Wrongs = { wrong: 0, firstWrong: undefined };

  const send = async (connection: HttpConnection, n: number, since: number): Promise<void> => {
    const request = requestOf(n);
    const response = await connection.exchange(request.text);
    const percentileMs = machineClock.now();
    latencies.record(percentileMs - since);
    const fault = request.wrong(response);
    if (fault !== undefined) {
      wrongs.wrong++;
      wrongs.firstWrong ??= fault;
    } else if (keeps !== undefined) kept(keeps, response, percentileMs, responses);
    if (fault === undefined)
      readsAfter?.wrote(n, percentileMs, headerOf(response, 'refledger-position'));
  };

  const idle = performance.eventLoopUtilization();
  const begin = machineClock.now();
  await throttled(plan.rate, connections, begin, send);
  const seconds = (machineClock.now() - begin) / 1_000;
  const busy = performance.eventLoopUtilization(idle).utilization;
  const readAfter = await readsAfter?.finish();
  for (const connection of connections) connection.close();
  return {
    answered: latencies.count,
    seconds,
    perSecond: latencies.count / seconds,
    ...together(wrongs, readAfter),
    latency: latencies.latency,
    readAfter: readAfter?.latency,
    busy,
    responses,
  };
};

/** How many responses were wrong, and the first of them. */
interface Wrongs {
  wrong: number;
  firstWrong: string | undefined;
}

const together = (writes: Wrongs, reads: Readonly<Wrongs> | undefined): Wrongs => ({
  wrong: writes.wrong + (reads?.wrong ?? 0),
  firstWrong: writes.firstWrong ?? reads?.firstWrong,
});

const throttled = (
  rate: LoadShape,
  connections: readonly HttpConnection[],
  begin: number,
  send: (connection: HttpConnection, n: number, since: number) => Promise<void>,
): Promise<void> => {
  if (rate.kind === 'constant')
    return runAtConstantRate({
      perSecond: rate.perSecond,
      count: Math.round(rate.perSecond * rate.seconds),
      lanes: connections,
      clock: machineClock,
      send,
    });
  const end = 'seconds' in rate ? begin + rate.seconds * 1_000 : Number.POSITIVE_INFINITY;
  const count = 'count' in rate ? rate.count : Number.POSITIVE_INFINITY;
  return runClosedLoop(
    connections,
    (n) => n < count && machineClock.now() < end,
    (connection, n) => send(connection, n, machineClock.now()),
  );
};

const kept = (
  { keepResponses }: NewConversions,
  response: HttpResponse,
  percentileMs: number,
  responses: AcknowledgedWrite[],
): void => {
  if (keepResponses !== true) return;
  const { id } = JSON.parse(response.body.toString('utf8')) as { readonly id: string };
  responses.push({ conversionId: id, at: percentileMs });
};
