import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { openReadStore, type ReadStore } from '@refledger/read-store';
import { Embedded } from './embedded.js';

/** The same on SQLite, in a temporary directory. */
export class OnSqlite extends Embedded {
  readonly directory = mkdtempSync(join(tmpdir(), 'refledger-projections-'));

  override async remove(): Promise<void> {
    await super.remove();
    rmSync(this.directory, { recursive: true });
  }

  /** Opens the log in the directory, or in a directory within it. */
  protected override logOf(within: string): Promise<EventLog> {
    const dataDir = join(this.directory, within);
    mkdirSync(dataDir, { recursive: true });
    return openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'write' });
  }

  protected override store(): Promise<ReadStore> {
    return openReadStore(embeddedUrls.READ_STORE_URL, { dataDir: this.directory, mode: 'write' });
  }
}
