import { cp, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import { dataSetEvents } from '../../data-set/data-set-events.js';
import type { DataSetSpec } from '../../data-set/data-set-spec.js';
import { specOf } from '../../data-set/data-sets.js';
import { writeDataSet } from '../../data-set/write-data-set.js';
import { Child } from '../../process/child.js';
import type { AppendingQuestion, Entries } from '../../rebuild/post-entries.process.js';
import type { Row } from '../../row.js';

/** Posting from the start of a log, beside plain appends of as many events. */
export const ledgerEntries: Row = {
  name: 'ledger-entries',
  title: 'entries posted for a log of 20,000 conversions',
  yardstick: 'appending as many events, 64 at once; a log without entries',
  figures: [
    { name: 'entries', unit: '/s', goals: [{ of: 'figure', atLeast: 5_000 }] },
    { name: 'log per conversion', unit: 'B', goals: [] },
  ],
  prepare: async (bench) => {
    const spec = { ...specOf(bench.count(20_000)), commission: 250 };
    const directory = await bench.directory();
    const before = join(directory, 'before');
    await mkdir(before);
    const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: before, mode: 'write' });
    await writeDataSet(log, spec).finally(() => log.close());
    const earned = earnedIn(spec);
    const child = bench.use(
      Child.start<AppendingQuestion, Entries>(
        new URL('../../rebuild/post-entries.process.js', import.meta.url),
      ),
    );
    let posted = 0;
    /** Copies the log, appends to the copy, and returns the rate and the copy's size. */
    const appended = async (question: { kind: 'post' } | { kind: 'append'; count: number }) => {
      const dataDir = join(directory, 'copy');
      await cp(before, dataDir, { recursive: true });
      const entries = await child.request({ ...question, dataDir });
      const bytes = await bytesOfLog(dataDir);
      await rm(dataDir, { recursive: true });
      return { ...entries, bytes };
    };
    const measure = async () => {
      const { count, perSecond, sum, bytes } = await appended({ kind: 'post' });
      if (sum !== earned) throw new Error(`${earned} was earned, but the entries add up to ${sum}`);
      posted = count;
      return { entries: perSecond, 'log per conversion': bytes / spec.conversions };
    };
    await measure();
    return {
      measure,
      yardstick: async () => ({
        entries: (await appended({ kind: 'append', count: posted })).perSecond,
        'log per conversion': (await bytesOfLog(before)) / spec.conversions,
      }),
    };
  },
};

/** The commissions of the conversions that are approved in the end, in minor units. */
const earnedIn = (spec: DataSetSpec): bigint => {
  const owed = new Map<string, number>();
  for (const { conversion } of dataSetEvents(spec)) {
    if (conversion === undefined) continue;
    const { id, status, commission_amount } = conversion.after;
    owed.set(id, status === 'approved' ? commission_amount : 0);
  }
  return [...owed.values()].reduce((sum, amount) => sum + BigInt(amount), 0n);
};

const bytesOfLog = async (dataDir: string): Promise<number> => {
  const files = (await readdir(dataDir)).filter((name) => name.startsWith('events.'));
  const sizes = await Promise.all(
    files.map(async (name) => (await stat(join(dataDir, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};
