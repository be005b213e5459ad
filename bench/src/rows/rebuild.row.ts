import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { dataFolder } from '@refledger/platform';
import type { DataSet } from '../data-set/data-sets.js';
import { totalOf } from '../data-set/known-figures.js';
import { Child } from '../process/child.js';
import type { Rebuilt, RebuildQuestion } from '../rebuild/rebuild.process.js';
import type { Row } from '../row.js';

export const rebuild: Row = {
  name: 'rebuild',
  title: 'rebuild of all read models, a million conversions',
  yardstick: 'scanning the log alone',
  figures: [{ name: 'events', unit: '/s', goals: [{ of: 'ratio', atLeast: 0.5 }, { of: 'figure', atLeast: 100_000 }] }],
  prepare: async (bench) => {
    const dataSet = await bench.dataSet('a million');
    const folder = await bench.folder();
    const log = dataFolder(dataSet.folder).events;
    const child = bench.use(Child.start<RebuildQuestion, Rebuilt>(new URL('../rebuild/rebuild.process.js', import.meta.url)));
    const scan = (): Promise<Rebuilt> => child.ask({ kind: 'scan', log });

    const { events } = await scan();
    const perSecond = (rebuilt: Rebuilt): number => {
      if (rebuilt.events !== events || events < dataSet.events) throw new Error(`${rebuilt.events} events were handled, there are ${events}`);
      return events / rebuilt.seconds;
    };
    return {
      measure: async (round) => {
        const store = join(folder, `read-models-${round}.db`);
        const rebuilt = await child.ask({ kind: 'rebuild', log, store });
        for (const ending of ['', '-wal', '-shm']) await rm(`${store}${ending}`, { force: true });
        expectSums(rebuilt, dataSet);
        return { events: perSecond(rebuilt) };
      },
      yardstick: async () => ({ events: perSecond(await scan()) }),
    };
  },
};

/** The statistics are right to the cent. */
const expectSums = ({ sums }: Rebuilt, { figures }: DataSet): void => {
  for (const [currency, byStatus] of Object.entries(totalOf(figures))) {
    for (const [status, { amount }] of Object.entries(byStatus)) {
      const counted = sums[currency]?.[status];
      if (counted !== BigInt(amount)) throw new Error(`${currency} ${status} adds up to ${amount}, the statistics say ${counted}`);
    }
  }
};
