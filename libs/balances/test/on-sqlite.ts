import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { openReadStore, type ReadStore } from '@refledger/read-store';
import { Embedded } from './embedded.js';

/** The same on SQLite, in a temporary directory. */
export class OnSqlite extends Embedded {
  private readonly directory = mkdtempSync(join(tmpdir(), 'refledger-balances-'));

  override async remove(): Promise<void> {
    await super.remove();
    rmSync(this.directory, { recursive: true });
  }

  protected override logOf(name: string): Promise<EventLog> {
    return openEventLog(embeddedUrls.EVENT_LOG_URL, this.subdirectory(name));
  }

  protected override storeOf(name: string): Promise<ReadStore> {
    return openReadStore(embeddedUrls.READ_STORE_URL, this.subdirectory(name));
  }

  private subdirectory(name: string): { readonly dataDir: string; readonly mode: 'write' } {
    const dataDir = join(this.directory, name);
    mkdirSync(dataDir, { recursive: true });
    return { dataDir, mode: 'write' };
  }
}
