import { logsToMeasure } from '../event-log/logs-to-measure.js';
import { rateOf, sampleEvent, sampleStream } from '../event-log/sample-events.js';
import type { Figures, Row } from '../row.js';

/** Appends of one event each to new streams, one after another and many at the same time. */
export const logAppend: Row = {
  name: 'log-append',
  title: 'append to the event log on EventStoreDB',
  yardstick: 'the raw client on the same server',
  isDistributed: true,
  figures: [
    { name: 'one by one', unit: '/s', goals: [] },
    { name: '64 at once', unit: '/s', goals: [] },
    { name: '256 at once', unit: '/s', goals: [] },
    { name: 'embedded, 64 at once', unit: '/s', goals: [] },
  ],
  prepare: async (bench) => {
    const { log, raw, embedded } = await logsToMeasure(bench);
    const counts = { 1: bench.count(2_000), 64: bench.count(20_000), 256: bench.count(20_000) };
    const rates = async (append: (n: number) => Promise<unknown>): Promise<Figures> => ({
      'one by one': await rateOf(counts[1], 1, append),
      '64 at once': await rateOf(counts[64], 64, append),
      '256 at once': await rateOf(counts[256], 256, append),
    });
    await rates((n) => log.append(sampleStream(), [sampleEvent(n)], 'no stream'));
    return {
      measure: async () => ({
        ...(await rates((n) => log.append(sampleStream(), [sampleEvent(n)], 'no stream'))),
        'embedded, 64 at once': await rateOf(counts[64], 64, (n) =>
          embedded.append(sampleStream(), [sampleEvent(n)], 'no stream'),
        ),
      }),
      yardstick: () => rates((n) => raw.append(sampleStream(), [sampleEvent(n)])),
    };
  },
};
