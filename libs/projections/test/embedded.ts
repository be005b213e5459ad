import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  streams,
  type ConversionId,
  type DomainEvent,
  type Position,
  type StreamName,
} from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { encodeEvent, openEventLog, type EventLog } from '@refledger/event-log';
import { openReadStore, type ReadStore } from '@refledger/read-store';
import { projectorName } from '../src/projector/group-processor.js';
import { Projector, type GroupBatch, type ProjectorStatus } from '../src/projector/projector.js';
import type { Projection } from '../src/projection.js';
import { conversionCreated } from './builders.js';

/** A log and a store in a temporary folder, and projections that run on them. */
export class Embedded {
  readonly folder = mkdtempSync(join(tmpdir(), 'refledger-projections-'));
  readonly errors: { details: object; message: string }[] = [];
  private readonly closing: (() => Promise<unknown>)[] = [];
  private readonly revisions = new Map<StreamName, number>();

  /** Opens the log in the folder, or in a folder within it. */
  async openLog(within = ''): Promise<EventLog> {
    const dataDir = join(this.folder, within);
    mkdirSync(dataDir, { recursive: true });
    const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'write' });
    this.closing.push(() => log.close());
    return log;
  }

  async openStore(): Promise<ReadStore> {
    const store = await openReadStore(embeddedUrls.READ_STORE_URL, {
      dataDir: this.folder,
      mode: 'write',
    });
    this.closing.push(() => store.close());
    return store;
  }

  /** Appends to the end of a stream that only this test writes. */
  async append(
    log: EventLog,
    stream: StreamName,
    ...events: readonly (DomainEvent | { type: `${string}_poison`; data: object })[]
  ): Promise<Position> {
    const metadata = {
      account_id: 'acct_1' as const,
      actor: 'key_1',
      request_id: 'r',
      recorded_at: new Date().toISOString(),
    };
    const encoded = events.map((event) =>
      encodeEvent(event as DomainEvent, randomUUID(), metadata),
    );
    const { revision, position } = await log.append(
      stream,
      encoded,
      this.revisions.get(stream) ?? 'no stream',
    );
    this.revisions.set(stream, revision);
    if (position === undefined) throw new Error('the log returned no position');
    return position;
  }

  /** Records a sale. */
  sell(log: EventLog, id: ConversionId): Promise<Position> {
    return this.append(log, streams.conversion(id), conversionCreated({}, id));
  }

  decide(log: EventLog, event: DomainEvent): Promise<Position> {
    return this.append(log, streams.processor(projectorName), event);
  }

  run(
    log: EventLog,
    store: ReadStore,
    projections: readonly Projection[],
    deliver = (batch: GroupBatch): Promise<void> => batch.take(),
  ): Running {
    const stop = new AbortController();
    const logger = {
      info: () => undefined,
      warn: () => undefined,
      error: (details: object, message: string) => void this.errors.push({ details, message }),
    };
    const projector = new Projector({ log, store, projections, logger });
    const ended = projector.run(deliver, stop.signal);
    const running: Running = {
      status: () => projector.status(),
      planned: projector.planned,
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
}

export interface Running {
  readonly planned: Promise<void>;
  readonly status: () => ProjectorStatus;
  readonly stop: () => Promise<void>;
}
