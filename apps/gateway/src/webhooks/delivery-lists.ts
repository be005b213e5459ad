import { validationError, type DomainError } from '@refledger/contracts';
import type { ApiResponse, Call } from '../http/request/call.js';
import type { Deliveries } from './deliveries.js';
import { deliveryListRequest } from './delivery-list-request.js';
import type { EndpointReads } from './endpoint-reads.js';
import { recoveriesOf } from './own-deliveries.js';

/** Lists deliveries. A list may be a moment behind: it waits for no write of deliveries. */
export class DeliveryLists {
  constructor(
    private readonly deliveries: Pick<Deliveries, 'read'>,
    private readonly endpoints: Pick<EndpointReads, 'get' | 'hasExisted'>,
  ) {}

  /**
   * One page of the caller's deliveries, which outlive their endpoint. Throws `validation_failed`
   * if the filter names an endpoint that the caller has never had.
   */
  async ofAccount(call: Call<'listDeliveries'>): Promise<ApiResponse> {
    const { endpoint_id } = call.query;
    const { response, isEmpty } = await this.page(call);
    // an endpoint with deliveries exists or has existed
    if (isEmpty && endpoint_id !== undefined) {
      const { caller, minPosition } = call;
      if (!(await this.endpoints.hasExisted({ id: endpoint_id, caller, minPosition })))
        throw neverExisted(endpoint_id);
    }
    return response;
  }

  /**
   * One page of the deliveries of an endpoint. Throws `not_found` if the caller does not have it.
   */
  async ofEndpoint(call: Call<'listEndpointDeliveries'>): Promise<ApiResponse> {
    const { caller, id, query } = call;
    await this.endpoints.get(call);
    return (await this.page({ caller, query: { ...query, endpoint_id: id } })).response;
  }

  private page({ caller, query }: Pick<Call<'listDeliveries'>, 'caller' | 'query'>): Promise<{
    readonly response: ApiResponse;
    readonly isEmpty: boolean;
  }> {
    const request = deliveryListRequest(caller.accountId, query);
    return this.deliveries.read(async (reader) => {
      const page = await reader.find(request.query);
      const recoveries = await recoveriesOf(reader, page.deliveries);
      return {
        response: request.response(page, recoveries),
        isEmpty: page.deliveries.length === 0,
      };
    });
  }
}

const neverExisted = (id: string): DomainError =>
  validationError([
    {
      path: 'endpoint_id',
      code: 'not_found',
      message: `endpoint_id is ${id}, but this account has never had that endpoint. Check the id.`,
    },
  ]);
