import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { dataFolder } from '@refledger/platform';
import { Child } from '../process/child.js';
import { expectSums } from '../rebuild/expect-sums.js';
import type { Rebuilt, RebuildQuestion } from '../rebuild/rebuild.process.js';
import type { Row } from '../row.js';

/** A rebuild of all read models, beside a scan of the log, which is the least that it must do. */
export const rebuild: Row = {
  name: 'rebuild',
  title: 'rebuild of all read models, a million conversions',
  yardstick: 'scanning the log alone',
  figures: [
    {
      name: 'events',
      unit: '/s',
      goals: [
        { of: 'ratio', atLeast: 0.5 },
        { of: 'figure', atLeast: 100_000 },
      ],
    },
  ],
  prepare: async (bench) => {
    const dataSet = await bench.dataSet('a million');
    const folder = await bench.folder();
    const log = { engine: 'sqlite', file: dataFolder(dataSet.folder).events } as const;
    const child = bench.use(
      Child.start<RebuildQuestion, Rebuilt>(
        new URL('../rebuild/rebuild.process.js', import.meta.url),
      ),
    );
    const scan = (): Promise<Rebuilt> => child.ask({ kind: 'scan', log });

    const { events } = await scan();
    const perSecond = (rebuilt: Rebuilt): number => {
      if (rebuilt.events !== events || events < dataSet.events)
        throw new Error(`${rebuilt.events} events were handled, there are ${events}`);
      return events / rebuilt.seconds;
    };
    return {
      measure: async (round) => {
        const store = join(folder, `read-models-${round}.db`);
        const rebuilt = await child.ask({
          kind: 'rebuild',
          log,
          store: { engine: 'sqlite', file: store },
        });
        for (const ending of ['', '-wal', '-shm']) await rm(`${store}${ending}`, { force: true });
        expectSums(rebuilt, dataSet.figures);
        return { events: perSecond(rebuilt) };
      },
      yardstick: async () => ({ events: perSecond(await scan()) }),
    };
  },
};
