import type { EndpointId, Position } from '@refledger/contracts';
import {
  webhookEndpointsProjection,
  type EndpointDocument,
  type EndpointEventDocument,
} from '@refledger/projections';
import { type ReadContext, type ReadModels, requireRecord } from '@refledger/queries';

/** Reads single webhook endpoints from their read model. */
export class EndpointReads {
  constructor(private readonly readModels: Pick<ReadModels, 'get' | 'find'>) {}

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

  /** Whether the caller has this endpoint, or had it before it was deleted. */
  async hasExisted({ id, ...context }: ReadContext & { readonly id: string }): Promise<boolean> {
    const query = {
      where: [{ field: 'endpoint_id', equals: id }],
      order: { fields: ['revision'], descending: false },
      limit: 1,
    };
    const { value } = await this.readModels.find(
      webhookEndpointsProjection,
      'events',
      query,
      context,
    );
    // Decoding boundary: only the projection writes these documents.
    const [first] = value as readonly EndpointEventDocument[];
    return first?.event.metadata.account_id === context.caller.accountId;
  }
}
