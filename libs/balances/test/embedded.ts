import { comparePositions, type Position, type StreamName } from '@refledger/contracts';
import type { EventLog, LogBatch, LoggedEvent, ProcessorStatus } from '@refledger/event-log';
import { entriesProjection, Projector, type GroupBatch } from '@refledger/projections';
import type { ReadStore } from '@refledger/read-store';
import type { KeyStore } from '@refledger/key-store';
import { SimulatedEngines, systemClock } from '@refledger/simulation';
import {
  ErasureProcessor,
  PaidStatus,
  Posting,
  type ErasureProcessorOptions,
  type PaidStatusOptions,
  type PostingOptions,
  type PostingStatus,
  type PaidStatusBatch,
} from '../src/index.js';

/** Logs and stores in memory, and ledgers that run on them. */
export class Embedded {
  private readonly closing: (() => Promise<unknown>)[] = [];
  private readonly engines = new SimulatedEngines(systemClock);

  async openLog(name = 'log'): Promise<EventLog> {
    const log = await this.logOf(name);
    this.closing.push(() => log.close());
    return log;
  }

  async openStore(name = 'store'): Promise<ReadStore> {
    const store = await this.storeOf(name);
    this.closing.push(() => store.close());
    return store;
  }

  openKeys(name = 'keys'): KeyStore {
    const keys = this.engines.openKeys(name, { create: true });
    this.closing.push(() => keys.close());
    return keys;
  }

  run(
    options: Options,
    deliver = (batch: LogBatch, posting: Posting): Promise<void> => posting.post(batch),
  ): Running {
    const stop = new AbortController();
    const posting = new Posting({ logger: silent, ...options });
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

  /** Maintains the read model of entries until the end. */
  showEntries(log: EventLog, store: ReadStore): void {
    const stop = new AbortController();
    const projections = [entriesProjection];
    const projector = new Projector({ log, store, projections, logger: silent });
    const ended = projector.run((batch: GroupBatch) => batch.apply(), stop.signal);
    this.closing.push(async () => {
      stop.abort();
      await ended;
    });
  }

  /** Closes everything that was opened, in reverse order. */
  async remove(): Promise<void> {
    for (const close of this.closing.reverse()) await close();
  }

  protected logOf(name: string): Promise<EventLog> {
    return Promise.resolve(this.engines.openLog(name));
  }

  protected storeOf(name: string): Promise<ReadStore> {
    return Promise.resolve(this.engines.openStore(name));
  }
}

/** A ledger that runs until it is stopped. */
export interface Running {
  readonly status: () => PostingStatus;
  readonly stop: () => Promise<void>;
}

type Options = Omit<PostingOptions, 'logger' | 'onStatus'> &
  Partial<Pick<PostingOptions, 'logger'>>;

/**
 * Starts a ledger that posts until it has handled every event that is in the log now. Throws the
 * first error of a batch: the ledger ends there, as if its process did.
 */
export const postToHead = (options: Options): Promise<void> =>
  toHead(options.log, (onStatus) => {
    const posting = new Posting({ logger: silent, ...options, onStatus });
    return {
      run: (deliver, signal) => posting.run(deliver, signal),
      handle: (batch: LogBatch) => posting.post(batch),
    };
  });

/** Like `postToHead`, but the ledger writes what follows payouts. */
export const paidStatusToHead = (options: PaidStatusTestOptions): Promise<void> =>
  toHead(options.log, (onStatus) => {
    const trail = new PaidStatus({ logger: silent, ...options, onStatus });
    return {
      run: (deliver, signal) => trail.run(deliver, signal),
      handle: (batch: PaidStatusBatch) => trail.follow(batch),
    };
  });

/**
 * Like `postToHead`, but the ledger destroys the keys of erased affiliates. It stops early if its
 * process dies.
 */
export const eraseToHead = (
  options: Omit<ErasureProcessorOptions, 'logger' | 'onStatus'> &
    Partial<Pick<ErasureProcessorOptions, 'logger'>>,
  died: AbortSignal = new AbortController().signal,
): Promise<void> =>
  toHead(options.log, (onStatus) => {
    const erasures = new ErasureProcessor({ logger: silent, ...options, onStatus });
    return {
      run: (deliver, signal) => erasures.run(deliver, AbortSignal.any([signal, died])),
      handle: (batch: LogBatch) => erasures.handle(batch),
    };
  });

type PaidStatusTestOptions = Omit<PaidStatusOptions, 'logger' | 'onStatus'> &
  Partial<Pick<PaidStatusOptions, 'logger'>>;

interface Work<Batch> {
  run(deliver: (batch: Batch) => Promise<void>, signal: AbortSignal): Promise<void>;
  handle(batch: Batch): Promise<void>;
}

const toHead = async <Batch extends LogBatch>(
  log: EventLog,
  workOf: (onStatus: (status: ProcessorStatus) => void) => Work<Batch>,
): Promise<void> => {
  const head = await log.head();
  const stop = new AbortController();
  const isThere = (position: Position | undefined): boolean =>
    head !== undefined && position !== undefined && comparePositions(position, head) >= 0;
  const work = workOf(({ position }) => void (isThere(position) && stop.abort()));
  let failure: { readonly error: unknown } | undefined;
  const deliver = async (batch: Batch): Promise<void> => {
    try {
      await work.handle(batch);
    } catch (error) {
      failure ??= { error };
    }
    if (failure !== undefined || isThere(batch.through)) stop.abort();
  };
  await work.run(deliver, stop.signal);
  if (failure !== undefined) throw failure.error;
};

export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Every event of the log, in its order. */
export const allOf = async (log: EventLog): Promise<readonly LoggedEvent[]> => {
  const all: LoggedEvent[] = [];
  for await (const { events } of log.readAll()) all.push(...events);
  return all;
};

/** Appends events to another log as `ops copy` does, except the event that opened their log. */
export const copyTo = async (
  target: EventLog,
  events: Awaited<ReturnType<typeof allOf>>,
  count = events.length,
): Promise<void> => {
  const revisions = new Map<StreamName, number>();
  for (const { stream, id, type, data, metadata } of events.slice(0, count)) {
    if (type === 'log.opened') continue;
    const expected = revisions.get(stream) ?? 'no stream';
    const { revision } = await target.append(stream, [{ id, type, data, metadata }], expected);
    revisions.set(stream, revision);
  }
};
