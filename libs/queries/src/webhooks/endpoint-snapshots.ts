import { setTimeout as sleep } from 'node:timers/promises';
import { comparePositions, type LogId, type StreamName } from '@refledger/contracts';
import { maxEndpoints, type WebhookEndpointsState } from '@refledger/domain';
import type { Snapshot } from '@refledger/application';
import {
  BuildNotFoundError,
  ReadStoreError,
  ReadModelUnreadable,
  type ReadStore,
} from '@refledger/read-store';
import {
  webhookEndpointsProjection as projection,
  type EndpointDocument,
  type StreamEndDocument,
} from '@refledger/projections';
import { snapshotAt } from '../snapshot-at.js';

/** The errors after which the log is read instead of the read model. */
const reasons = [ReadModelUnreadable, BuildNotFoundError, ReadStoreError];

/** A writer may store documents between two reads that belong together, so both are repeated. */
const maxAttempts = 3;

/**
 * Snapshots of accounts' endpoints from their read model, for commands. A stream of endpoints can
 * grow without bound, so commands read only the events after the snapshot. Undefined when the read
 * model has no snapshot or cannot be read.
 */
export class EndpointSnapshots {
  constructor(
    private readonly store: Pick<ReadStore, 'get' | 'find'>,
    private readonly logId: LogId,
    private readonly logger: { debug(details: object, message: string): void },
    /** How long to wait for the read model, in milliseconds. The log has all the events. */
    private readonly withinMs = 1_000,
  ) {}

  ofAccount(stream: StreamName): Promise<Snapshot<WebhookEndpointsState> | undefined> {
    const late = sleep(this.withinMs, undefined, { ref: false });
    return Promise.race([this.snapshot(stream).catch(this.undefinedIfUnreadable), late]);
  }

  private async snapshot(stream: StreamName): Promise<Snapshot<WebhookEndpointsState> | undefined> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const end = await this.end(stream);
      if (end === undefined) return undefined;
      const state = await this.endpointsAt(end);
      if (state !== undefined) return snapshotAt(end, state);
    }
    return undefined;
  }

  private async end(stream: StreamName): Promise<StreamEndDocument | undefined> {
    const { value } = await this.store.get(projection, this.logId, 'streams', stream);
    // Decoding boundary: only the projection writes these documents.
    return value as StreamEndDocument | undefined;
  }

  /**
   * The endpoints as of the stream's end; undefined when they are half saved or include a later
   * event.
   */
  private async endpointsAt(end: StreamEndDocument): Promise<WebhookEndpointsState | undefined> {
    const { value, position } = await this.store.find(projection, this.logId, 'endpoints', {
      where: [{ field: 'account_id', equals: end.account_id }],
      order: { fields: ['created_at', 'id'], descending: false },
      limit: maxEndpoints,
    });
    const isComplete = position !== undefined && comparePositions(position, end.position) >= 0;
    // Decoding boundary: only the projection writes these documents.
    const documents = value as readonly EndpointDocument[];
    if (!isComplete || documents.some(({ endpoint }) => endpoint.revision > end.revision))
      return undefined;
    return [...documents]
      .sort((one, other) => one.since - other.since)
      .map(({ endpoint }) => endpoint);
  }

  private readonly undefinedIfUnreadable = (error: unknown): undefined => {
    if (!reasons.some((reason) => error instanceof reason)) throw error;
    const message = 'the read model of the endpoints cannot be read; reading the log instead';
    this.logger.debug({ err: error }, message);
  };
}
