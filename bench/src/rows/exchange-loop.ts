import type { Bench } from '../bench.js';
import { LoadGenerator } from '../load/load-generator.js';
import type { LoadReport, Requests, Target } from '../load/load-plan.js';
import type { Figures, Rounds } from '../row.js';
import { apiKey } from '../service/api.js';
import type { Service } from '../service/service.js';
import { BareFastify } from '../yardsticks/bare-fastify.js';
import { measureClosedLoop } from './closed-loop-figures.js';

/** A server that is measured by its responses to 64 connections in a closed loop. */
export interface ExchangeLoop {
  readonly load: Pick<LoadGenerator, 'run'>;
  readonly server: { readonly pid: number };
  readonly origin: string;
  /** Returns the requests of the next run. */
  readonly requests: () => Requests;
  /** Called with the number of responses of each run, the first one included. */
  readonly wereAnswered?: (count: number) => void;
  /** How long each run takes, in seconds. Default: 2 to warm up, 5 to measure. */
  readonly seconds?: { readonly warmUp: number; readonly measured: number };
}

/** Warms up the loop. Returns a function that runs it again and measures it. */
export const warmedUp = async (
  bench: Bench,
  {
    load,
    server,
    origin,
    requests,
    wereAnswered = () => undefined,
    seconds: { warmUp, measured } = { warmUp: 2, measured: 5 },
  }: ExchangeLoop,
): Promise<() => Promise<Figures>> => {
  const run = async (seconds: number): Promise<LoadReport> => {
    const report = await load.run({
      origin,
      key: apiKey,
      connections: 64,
      rate: { kind: 'closed', seconds: bench.seconds(seconds) },
      requests: requests(),
    });
    wereAnswered(report.answered);
    return report;
  };
  await run(warmUp);
  return () => measureClosedLoop(bench, server, () => run(measured));
};

/** Measures exchanges with a service, beside a bare Fastify that responds with the same bytes. */
export const besideBareFastify = async (
  bench: Bench,
  service: Service,
  targets: readonly Target[],
): Promise<Rounds> => {
  const bare = bench.use(await BareFastify.start(targets));
  const load = bench.use(new LoadGenerator());
  const requests = (): Requests => ({ kind: 'exchanges', targets });
  return {
    measure: await warmedUp(bench, { load, server: service, origin: service.baseUrl, requests }),
    yardstick: await warmedUp(bench, { load, server: bare, origin: bare.origin, requests }),
  };
};
