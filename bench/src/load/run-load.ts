import { performance } from 'node:perf_hooks';
import { machineClock } from './clock.js';
import { runClosedLoop } from './closed-loop.js';
import { runAtConstantRate } from './constant-rate.js';
import { headerOf, HttpConnection, type HttpAnswer } from './http-connection.js';
import { LatencyRecorder } from './latency.js';
import type { AnsweredWrite, LoadPlan, LoadReport, NewConversions, Pace } from './load-plan.js';
import { ReadsAfterWrites } from './reads-after-writes.js';
import { requestsOf } from './requests.js';

/**
 * Carries out a plan over new connections. Rejects when a connection breaks: a missing answer is a
 * failure, not a figure.
 */
export const runLoad = async (plan: LoadPlan): Promise<LoadReport> => {
  const connections = await Promise.all(
    Array.from({ length: plan.connections }, () => HttpConnection.open(plan.origin)),
  );
  const requestOf = requestsOf(plan);
  const keeps = plan.requests.kind === 'new conversions' ? plan.requests : undefined;
  const readsAfter = keeps?.readAfter && new ReadsAfterWrites(plan.origin, keeps.readAfter);
  const latencies = new LatencyRecorder();
  const answers: AnsweredWrite[] = [];
  const wrongs: Wrongs = { wrong: 0, firstWrong: undefined };

  const send = async (connection: HttpConnection, n: number, since: number): Promise<void> => {
    const request = requestOf(n);
    const answer = await connection.exchange(request.text);
    const at = machineClock.now();
    latencies.record(at - since);
    const fault = request.wrong(answer);
    if (fault !== undefined) {
      wrongs.wrong++;
      wrongs.firstWrong ??= fault;
    } else if (keeps !== undefined) kept(keeps, answer, at, answers);
    if (fault === undefined) readsAfter?.wrote(n, at, headerOf(answer, 'refledger-position'));
  };

  const idle = performance.eventLoopUtilization();
  const begin = machineClock.now();
  await paced(plan.pace, connections, begin, send);
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
    answers,
  };
};

/** How many answers were wrong, and the first of them. */
interface Wrongs {
  wrong: number;
  firstWrong: string | undefined;
}

const together = (writes: Wrongs, reads: Readonly<Wrongs> | undefined): Wrongs => ({
  wrong: writes.wrong + (reads?.wrong ?? 0),
  firstWrong: writes.firstWrong ?? reads?.firstWrong,
});

const paced = (
  pace: Pace,
  connections: readonly HttpConnection[],
  begin: number,
  send: (connection: HttpConnection, n: number, since: number) => Promise<void>,
): Promise<void> => {
  if (pace.kind === 'constant')
    return runAtConstantRate({
      perSecond: pace.perSecond,
      count: Math.round(pace.perSecond * pace.seconds),
      lanes: connections,
      clock: machineClock,
      send,
    });
  const end = 'seconds' in pace ? begin + pace.seconds * 1_000 : Number.POSITIVE_INFINITY;
  const count = 'count' in pace ? pace.count : Number.POSITIVE_INFINITY;
  return runClosedLoop(
    connections,
    (n) => n < count && machineClock.now() < end,
    (connection, n) => send(connection, n, machineClock.now()),
  );
};

const kept = (
  { keepAnswers }: NewConversions,
  answer: HttpAnswer,
  at: number,
  answers: AnsweredWrite[],
): void => {
  if (keepAnswers !== true) return;
  const { id } = JSON.parse(answer.body.toString('utf8')) as { readonly id: string };
  answers.push({ conversionId: id, at });
};
