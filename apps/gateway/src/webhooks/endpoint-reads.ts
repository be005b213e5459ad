import type { EndpointId, Position } from '@refledger/contracts';
import { webhookEndpointsProjection, type EndpointDocument } from '@refledger/projections';
import type { ReadContext, ReadModels } from '../read-models.js';
import { requireRecord } from '../records.js';

/** Reads single webhook endpoints from their read model. */
export class EndpointReads {
  constructor(private readonly readModels: Pick<ReadModels, 'get'>) {}

  /** Throws `not_found` if the caller has no such endpoint. */
  async get({
    id,
    ...context
  }: ReadContext & { readonly id: EndpointId }): Promise<
    EndpointDocument & { readonly position: Position | undefined }
  > {
    const { value, position } = await this.readModels.get(webhookEndpointsProjection, id, context);
    // Decoding boundary: only the projection writes these documents.
    const document = value as EndpointDocument | undefined;
    const isOwn = document?.account_id === context.caller.accountId;
    return { ...requireRecord('endpoint', id, isOwn ? document : undefined), position };
  }
}
