import type { EndpointId, Position } from '@refledger/contracts';
import {
  webhookEndpointsProjection,
  type EndpointDocument,
  type EndpointEventDocument,
} from '@refledger/projections';
import type { ReadResult } from '@refledger/read-store';
import type { RecordRead } from '../history/record-queries.js';
import { requireRecord } from '../own-record.js';
import type { ReadModels } from '../read-models.js';

export type EndpointEvent = EndpointEventDocument['event'];

/** Some events of an endpoint, in the order of their revisions. */
export interface EventsPage {
  /** The last revision of the previous page; undefined on the first page. */
  readonly after?: number | undefined;
  readonly newestFirst: boolean;
  readonly size: number;
}

/** Reads single webhook endpoints, and their events, from their read model. */
export class EndpointReads {
  constructor(private readonly readModels: Pick<ReadModels, 'get' | 'find'>) {}

  /** Throws `not_found` if the caller has no such endpoint. */
  async get({
    id,
    ...read
  }: RecordRead<EndpointId>): Promise<
    EndpointDocument & { readonly position: Position | undefined }
  > {
    const { value, position } = await this.readModels.get(webhookEndpointsProjection, id, read);
    // Decoding boundary: only the projection writes these documents.
    const document = value as EndpointDocument | undefined;
    const isOwn = document?.account_id === read.caller.accountId;
    return { ...requireRecord('endpoint', id, isOwn ? document : undefined), position };
  }

  /** Whether the caller has this endpoint, or had it before it was deleted. */
  async hasExisted(read: RecordRead<string>): Promise<boolean> {
    const { value } = await this.events(read, { newestFirst: false, size: 1 });
    return value[0]?.metadata.account_id === read.caller.accountId;
  }

  /**
   * All endpoints of an account share a stream, but the read model finds the events of one alone,
   * even after it was deleted.
   */
  async events(
    { id, ...read }: RecordRead<string>,
    { after, newestFirst: descending, size: limit }: EventsPage,
  ): Promise<ReadResult<readonly EndpointEvent[]>> {
    const query = {
      where: [{ field: 'endpoint_id', equals: id }],
      order: { fields: ['revision'], descending },
      ...(after !== undefined && { after: [after] }),
      limit,
    };
    const found = await this.readModels.find(webhookEndpointsProjection, 'events', query, read);
    // Decoding boundary: only the projection writes these documents.
    const documents = found.value as readonly EndpointEventDocument[];
    return { ...found, value: documents.map(({ event }) => event) };
  }
}
