import { setTimeout as sleep } from 'node:timers/promises';
import { machineClock } from '../../load/clock.js';
import type { LoadReport } from '../../load/load-plan.js';
import type { Row } from '../../row.js';
import { endpoints, WebhookLoad } from '../../measures/webhook-load.js';

/**
 * One minute in which sales create twice as many deliveries as can be sent. Each round is a part of
 * it. The yardstick is the rate while sales create as many deliveries as can be sent. At the end
 * everything must have been delivered, once.
 */
export const webhooksOverload: Row = {
  name: 'webhooks-overload',
  title: 'webhooks at twice the sustainable rate for a minute',
  yardstick: 'the sustainable rate',
  figures: [{ name: 'deliveries', unit: '/s', goals: [{ of: 'ratio', atLeast: 0.9 }] }],
  prepare: async (bench) => {
    const load = await WebhookLoad.open(bench);
    await load.burst(bench.count(2_000));
    const { perSecond: drained } = await load.burst(bench.count(4_000));

    /** The deliveries per second that arrive during `seconds`. */
    const rateDuring = async (seconds: number): Promise<number> => {
      const { count: before } = await load.receiver.received();
      const begin = machineClock.now();
      await sleep(seconds * 1_000);
      const { count: after } = await load.receiver.received();
      return ((after - before) * 1_000) / (machineClock.now() - begin);
    };

    await load.receiver.forget();
    const first = load.record({
      kind: 'constant',
      perSecond: drained / endpoints,
      seconds: bench.seconds(12),
    });
    await sleep(bench.seconds(2) * 1_000);
    const sustainable = await rateDuring(bench.seconds(10));
    await load.delivered((await first).answered);
    await load.receiver.forget();

    const seconds = bench.seconds(60);
    let overload: Promise<LoadReport> | undefined;
    return {
      measure: async () => {
        if (overload === undefined) {
          overload = load.record({
            kind: 'constant',
            perSecond: (2 * sustainable) / endpoints,
            seconds,
          });
          // `finish` awaits it; an earlier failure must not count as unhandled
          overload.catch(() => undefined);
        }
        return { deliveries: await rateDuring(seconds / bench.rounds) };
      },
      yardstick: () => Promise.resolve({ deliveries: sustainable }),
      finish: async () => {
        const report = await overload;
        if (report === undefined) return;
        if (report.seconds > seconds * 1.1)
          bench.note(
            `answering the sales of ${seconds} s took ${Math.round(report.seconds)} s, so the load was less than twice the sustainable rate`,
          );
        await load.delivered(report.answered);
      },
    };
  },
};
