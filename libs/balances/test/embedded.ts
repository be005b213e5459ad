import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { comparePositions, type Position } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog, type LogBatch, type LoggedEvent } from '@refledger/event-log';
import { openReadStore, type ReadStore } from '@refledger/read-store';
import { Posting, type PostingOptions, type PostingStatus } from '../src/index.js';

/** Logs and stores in a temporary folder. */
export class Embedded {
  readonly folder = mkdtempSync(join(tmpdir(), 'refledger-balances-'));
  private readonly closing: (() => Promise<unknown>)[] = [];

  async openLog(name = 'log'): Promise<EventLog> {
    const options = { dataDir: this.within(name), mode: 'write' } as const;
    const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, options);
    this.closing.push(() => log.close());
    return log;
  }

  async openStore(name = 'store'): Promise<ReadStore> {
    const options = { dataDir: this.within(name), mode: 'write' } as const;
    const store = await openReadStore(embeddedUrls.READ_STORE_URL, options);
    this.closing.push(() => store.close());
    return store;
  }

  run(
    options: Options,
    deliver = (batch: LogBatch, posting: Posting): Promise<void> => posting.post(batch),
  ): Running {
    const stop = new AbortController();
    const posting = new Posting({ ...options, logger: silent });
    const ended = posting.run((batch) => deliver(batch, posting), stop.signal);
    const running = {
      status: () => posting.status(),
      stop: async () => {
        stop.abort();
        await ended;
      },
    };
    this.closing.push(running.stop);
    return running;
  }

  /** Closes everything that was opened, in reverse order, and deletes the folder. */
  async remove(): Promise<void> {
    for (const close of this.closing.reverse()) await close();
    rmSync(this.folder, { recursive: true });
  }

  private within(name: string): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }
}

/** A ledger that runs until it is stopped. */
export interface Running {
  readonly status: () => PostingStatus;
  readonly stop: () => Promise<void>;
}

type Options = Omit<PostingOptions, 'logger' | 'onStatus'>;

/**
 * Starts a ledger that runs until it has handled every event that is in the log now. Throws the
 * first error of a batch: the ledger ends there, as if its process did.
 */
export const postToHead = async (options: Options): Promise<void> => {
  const head = await options.log.head();
  const stop = new AbortController();
  const isThere = (position: Position | undefined): boolean =>
    head !== undefined && position !== undefined && comparePositions(position, head) >= 0;
  const onStatus = ({ position }: PostingStatus) => void (isThere(position) && stop.abort());
  const posting = new Posting({ ...options, logger: silent, onStatus });
  let failure: { readonly error: unknown } | undefined;
  const deliver = async (batch: LogBatch): Promise<void> => {
    try {
      await posting.post(batch);
    } catch (error) {
      failure ??= { error };
    }
    if (failure !== undefined || isThere(batch.through)) stop.abort();
  };
  await posting.run(deliver, stop.signal);
  if (failure !== undefined) throw failure.error;
};

export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Every event of the log, in its order. */
export const allOf = async (log: EventLog): Promise<readonly LoggedEvent[]> => {
  const all: LoggedEvent[] = [];
  for await (const { events } of log.readAll()) all.push(...events);
  return all;
};
