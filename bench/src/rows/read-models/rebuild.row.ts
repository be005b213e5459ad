import { join } from 'node:path';
import { mkdir, rm } from 'node:fs/promises';
import { embeddedUrls } from '@refledger/engines';
import { Child } from '../../process/child.js';
import { expectSums } from '../../rebuild/expect-sums.js';
import type { RebuildResult, RebuildQuestion } from '../../rebuild/rebuild.process.js';
import type { Row } from '../../row.js';

/** A rebuild of all read models, beside a scan of the log, which is the least that it must do. */
export const rebuild: Row = {
  name: 'rebuild',
  title: 'rebuild of all read models, a million conversions',
  yardstick: 'only scanning the log',
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
    const directory = await bench.directory();
    const log = { url: embeddedUrls.EVENT_LOG_URL, dataDir: dataSet.directory };
    const child = bench.use(
      Child.start<RebuildQuestion, RebuildResult>(
        new URL('../../rebuild/rebuild.process.js', import.meta.url),
      ),
    );
    const scan = (): Promise<RebuildResult> => child.request({ kind: 'scan', log });

    const { events } = await scan();
    const perSecond = (rebuilt: RebuildResult): number => {
      if (rebuilt.events !== events || events < dataSet.events)
        throw new Error(`${rebuilt.events} events were handled, but the log has ${events}`);
      return events / rebuilt.seconds;
    };
    return {
      measure: async (round) => {
        const dataDir = join(directory, `read-models-${round}`);
        await mkdir(dataDir);
        const rebuilt = await child.request({
          kind: 'rebuild',
          log,
          store: { url: embeddedUrls.READ_STORE_URL, dataDir },
        });
        await rm(dataDir, { recursive: true });
        expectSums(rebuilt, dataSet.figures);
        return { events: perSecond(rebuilt) };
      },
      yardstick: async () => ({ events: perSecond(await scan()) }),
    };
  },
};
