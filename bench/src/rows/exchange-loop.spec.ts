import { Bench } from '../bench.js';
import type { LoadPlan, LoadReport } from '../load/load-plan.js';
import { warmedUp } from './exchange-loop.js';

const bench = new Bench({ dataDir: '', quick: false, rounds: 1, report: () => undefined });
const latency = { p50: 1, p99: 7 } as LoadReport['latency'];

/** A generator that sends nothing and reports ten more responses each time. */
const generator = () => {
  const plans: LoadPlan[] = [];
  const run = (plan: LoadPlan): Promise<LoadReport> => {
    plans.push(plan);
    const answered = plans.length * 10;
    return Promise.resolve({ answered, perSecond: 5, latency, busy: 0 } as LoadReport);
  };
  return { plans, load: { run } };
};

const target = (path: string) => ({
  kind: 'exchanges' as const,
  targets: [{ path, body: '' }],
});

it('warms up once, then measures the same loop with new requests each time', async () => {
  const { plans, load } = generator();
  const answered: number[] = [];
  let runs = 0;

  const measure = await warmedUp(bench, {
    load,
    server: process,
    origin: 'http://server',
    requests: () => target(`/${++runs}`),
    wereAnswered: (count) => answered.push(count),
    seconds: { warmUp: 3, measured: 8 },
  });
  expect(plans).toHaveLength(1);
  expect(await measure()).toMatchObject({ requests: 5, p99: 7 });
  await measure();

  expect(plans.map(({ rate, requests }) => [rate, requests])).toEqual([
    [{ kind: 'closed', seconds: 3 }, target('/1')],
    [{ kind: 'closed', seconds: 8 }, target('/2')],
    [{ kind: 'closed', seconds: 8 }, target('/3')],
  ]);
  for (const plan of plans)
    expect(plan).toMatchObject({ origin: 'http://server', connections: 64 });
  expect(answered).toEqual([10, 20, 30]);
});

it('is shorter in a quick run', async () => {
  const { plans, load } = generator();
  const quick = new Bench({ dataDir: '', quick: true, rounds: 1, report: () => undefined });
  const loop = { load, server: process, origin: '', requests: () => target('/') };
  await (
    await warmedUp(quick, loop)
  )();
  expect(plans.map(({ rate }) => rate)).toEqual([
    { kind: 'closed', seconds: 0.1 },
    { kind: 'closed', seconds: 0.25 },
  ]);
});
