import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { EventWriter } from '../../src/conformance/sample-events.js';

/** A log in a temporary directory, with a writer. */
export interface SampleLog {
  readonly log: EventLog;
  readonly directory: string;
  readonly file: string;
  /** Writes the events of this many affiliates concurrently. */
  readonly write: (affiliates: number, changes: number) => Promise<void>;
  readonly remove: () => Promise<void>;
}

export const openSampleLog = async (): Promise<SampleLog> => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-kafka-'));
  const file = join(directory, 'events.db');
  const log = await openSqliteEventLog({ file, mode: 'write' });
  const writer = new EventWriter(log);
  return {
    log,
    directory,
    file,
    write: async (affiliates, changes) =>
      void (await Promise.all(
        Array.from({ length: affiliates }, async () => {
          const affiliate = newId('affiliate');
          await writer.createAffiliate(affiliate);
          for (let n = 1; n < changes; n++) await writer.renameAffiliate(affiliate, String(n));
        }),
      )),
    remove: async () => {
      await log.close();
      rmSync(directory, { recursive: true });
    },
  };
};
