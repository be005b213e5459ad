import type { EndpointId, Position } from '@refledger/contracts';
import {
  endpointChanges,
  endpointRecordAt,
  needsEarlier,
  type Endpoint,
  type EndpointChange,
} from '@refledger/domain';
import type { PacedReads } from '@refledger/application';
import { webhookEndpointsProjection, type EndpointEventDocument } from '@refledger/projections';
import { type KeyNames, type ReadContext, type ReadModels, shownChange } from '@refledger/queries';
import { historyStart } from '../history/history-page.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { positionHeader } from '../http/responses.js';
import type { EndpointReads } from './endpoint-reads.js';

/** What is needed to read the histories of endpoints. */
interface EndpointHistoriesParts {
  readonly endpoints: Pick<EndpointReads, 'get'>;
  readonly readModels: Pick<ReadModels, 'find'>;
  readonly pacedReads: Pick<PacedReads, 'run'>;
  readonly keys: KeyNames;
}

type EndpointEvent = EndpointEventDocument['event'];

/** Events of one endpoint, and the position that they reflect. */
interface FoundEvents {
  readonly events: readonly EndpointEvent[];
  readonly position: Position | undefined;
}

/** Which events of an endpoint to read: those after this revision, if any, in either direction. */
interface EventsQuery {
  readonly after: number | undefined;
  readonly descending: boolean;
  readonly limit: number;
}

/**
 * Reads the histories of webhook endpoints from their read model. All endpoints of an account share
 * a stream, but the read model finds the events of one alone.
 */
export class EndpointHistories {
  constructor(private readonly parts: EndpointHistoriesParts) {}

  /**
   * One page of the changes to an endpoint. Throws `not_found` if the caller has no such endpoint.
   */
  async page(call: Call<'getWebhookHistory'>): Promise<ApiResponse> {
    const { id, caller, query } = call;
    await this.parts.endpoints.get(call);
    const { after, newestFirst, size, cursorAfter } = historyStart(query, `history of ${id}`);
    // one more tells whether more follow
    const wanted = { after, descending: newestFirst, limit: size + 1 };
    const { events, position } = await this.events(call, id, wanted);
    const shown = events.slice(0, size);
    const last = shown.at(-1);
    const hasMore = events.length > size && last !== undefined;
    const changes = await this.changes(call, newestFirst ? shown.reverse() : shown);
    const data = changes.map((change) =>
      shownChange(
        { ...change, record: query.include === 'record' ? recordAfter(change) : undefined },
        caller.accountId,
        this.parts.keys,
      ),
    );
    return {
      status: 200,
      body: {
        object: 'list',
        data: newestFirst ? data.reverse() : data,
        has_more: hasMore,
        next_cursor: hasMore ? cursorAfter(last.revision) : null,
      },
      headers: positionHeader(position),
    };
  }

  /** What events of one endpoint changed, oldest first. */
  private async changes(
    context: ReadContext,
    events: readonly EndpointEvent[],
  ): Promise<readonly EndpointChange[]> {
    const [first] = events;
    if (first === undefined || !needsEarlier(first)) return endpointChanges(events);
    const start = await this.parts.pacedReads.run(context.caller, () =>
      this.endpointBefore(context, first),
    );
    return endpointChanges(events, start);
  }

  /**
   * The endpoint before an event of an earlier release, which holds only what it changed: folded
   * from all the events before it, since they are of earlier releases, too.
   */
  private async endpointBefore(
    context: ReadContext,
    { data: { endpoint_id }, revision }: EndpointEvent,
  ): Promise<Endpoint | undefined> {
    let endpoint: Endpoint | undefined;
    for (let after: number | undefined; ;) {
      const query = { after, descending: false, limit: maxBatchSize };
      const { events } = await this.events(context, endpoint_id, query);
      const earlier = events.filter((event) => event.revision < revision);
      const last = endpointChanges(earlier, endpoint).at(-1);
      if (last === undefined) return endpoint;
      endpoint = last.after;
      after = last.event.revision;
    }
  }

  private async events(
    context: ReadContext,
    endpoint: EndpointId,
    { after, descending, limit }: EventsQuery,
  ): Promise<FoundEvents> {
    const query = {
      where: [{ field: 'endpoint_id', equals: endpoint }],
      order: { fields: ['revision'], descending },
      ...(after !== undefined && { after: [after] }),
      limit,
    };
    const found = await this.parts.readModels.find(
      webhookEndpointsProjection,
      'events',
      query,
      context,
    );
    // Decoding boundary: only the projection writes these documents.
    const documents = found.value as readonly EndpointEventDocument[];
    return { events: documents.map(({ event }) => event), position: found.position };
  }
}

const maxBatchSize = 500;

const recordAfter = ({ event, after }: EndpointChange) =>
  after && endpointRecordAt(after, event.metadata.recorded_at);
