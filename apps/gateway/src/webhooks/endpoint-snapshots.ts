import { setTimeout as sleep } from 'node:timers/promises';
import { comparePositions, type LogId, type StreamName } from '@refledger/contracts';
import {
  maxEndpoints,
  webhookEndpointsDecider,
  type Decider,
  type WebhookEndpointsState,
} from '@refledger/domain';
import type { Snapshot } from '@refledger/event-log';
import type { Logger } from '@refledger/platform';
import {
  BuildGone,
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

/** A read model that doesn't answer within this time is not waited for: the log has it all. */
const withinMs = 1_000;

/** Why a read model can't be read, so that the log is. */
const reasons = [ReadModelUnreadable, BuildGone, ReadStoreError];

/** A writer may be at work between two reads of what belongs together. */
const tries = 3;

/**
 * What an account's endpoints had come to by their read model, for commands on them: their stream
 * has no bound, and is read on from there. Undefined where the read model can't tell.
 */
export class EndpointSnapshots {
  constructor(
    private readonly store: Pick<ReadStore, 'get' | 'find'>,
    private readonly logId: LogId,
    private readonly logger: Logger,
  ) {}

  async of<State, Event>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
  ): Promise<Snapshot<State> | undefined> {
    if ((decider as object) !== webhookEndpointsDecider) return undefined;
    const late = sleep(withinMs, undefined, { ref: false });
    const snapshot = await Promise.race([this.snapshot(stream).catch(this.unlessUnreadable), late]);
    // of this decider, so of its own type of state
    return snapshot as Snapshot<unknown> | undefined as Snapshot<State> | undefined;
  }

  private async snapshot(stream: StreamName): Promise<Snapshot<WebhookEndpointsState> | undefined> {
    for (let nth = 0; nth < tries; nth += 1) {
      const end = await this.end(stream);
      if (end === undefined) return undefined;
      const state = await this.endpointsAt(end);
      if (state !== undefined) return snapshotAt(end, state);
    }
    return undefined;
  }

  private async end(stream: StreamName): Promise<StreamEndDocument | undefined> {
    const { value } = await this.store.get(projection, this.logId, 'streams', stream);
    // the border of decoding: written by the projection alone
    return value as StreamEndDocument | undefined;
  }

  /** Undefined where what is stored is half of a save, or of a later event. */
  private async endpointsAt(end: StreamEndDocument): Promise<WebhookEndpointsState | undefined> {
    const { value, position } = await this.store.find(projection, this.logId, 'endpoints', {
      where: [{ field: 'account_id', equals: end.account_id }],
      order: { fields: ['created_at', 'id'], descending: false },
      limit: maxEndpoints,
    });
    const isWhole = position !== undefined && comparePositions(position, end.position) >= 0;
    // the border of decoding: written by the projection alone
    const documents = value as readonly EndpointDocument[];
    if (!isWhole || documents.some(({ revision }) => revision > end.revision)) return undefined;
    return [...documents]
      .sort((one, other) => one.since - other.since)
      .map(({ account_id: _, since: __, ...endpoint }) => endpoint);
  }

  private readonly unlessUnreadable = (error: unknown): undefined => {
    if (!reasons.some((reason) => error instanceof reason)) throw error;
    const message = "the read model of endpoints can't be read; reading the log";
    this.logger.debug({ err: error }, message);
  };
}
