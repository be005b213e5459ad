import { randomUUID } from 'node:crypto';
import {
  streams,
  type ConversionId,
  type DomainEvent,
  type Position,
  type StreamName,
} from '@refledger/contracts';
import { encodeEvent, type EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { SimulatedEngines, systemClock } from '@refledger/simulation';
import { projectorName } from '../src/projector/group-processor.js';
import { Projector, type GroupBatch, type ProjectorStatus } from '../src/projector/projector.js';
import type { Projection } from '../src/projection.js';
import { conversionCreated } from './builders.js';

/** A log and a store in memory, and projections that run on them. */
export class Embedded {
  readonly errors: { details: object; message: string }[] = [];
  private readonly closing: (() => Promise<unknown>)[] = [];
  private readonly revisions = new Map<StreamName, number>();
  private readonly engines = new SimulatedEngines(systemClock);

  async openLog(name = ''): Promise<EventLog> {
    const log = await this.logOf(name);
    this.closing.push(() => log.close());
    return log;
  }

  async openStore(): Promise<ReadStore> {
    const store = await this.store();
    this.closing.push(() => store.close());
    return store;
  }

  protected logOf(name: string): Promise<EventLog> {
    return Promise.resolve(this.engines.openLog(name));
  }

  protected store(): Promise<ReadStore> {
    return Promise.resolve(this.engines.openStore(''));
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
    deliver = (batch: GroupBatch): Promise<void> => batch.apply(),
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

  /** Closes everything that was opened, in reverse order. */
  async remove(): Promise<void> {
    for (const close of this.closing.reverse()) await close();
  }
}

export interface Running {
  readonly planned: Promise<void>;
  readonly status: () => ProjectorStatus;
  readonly stop: () => Promise<void>;
}
