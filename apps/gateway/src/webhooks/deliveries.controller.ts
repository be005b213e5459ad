import { Controller } from '@nestjs/common';
import { notFound } from '../http/errors/not-found.js';
import { Operation } from '../http/operation.decorator.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Deliveries } from './deliveries.js';
import { deliveryListRequest } from './delivery-list-request.js';
import { deliveryWithAttempts } from './delivery-records.js';

/**
 * The operations on deliveries. A list may be a moment behind: it waits for no write. Deliveries
 * outlive their endpoint, so the endpoint need not exist.
 */
@Controller()
export class DeliveriesController {
  constructor(private readonly deliveries: Deliveries) {}

  @Operation('listDeliveries')
  list({ caller, query }: Pick<Call<'listDeliveries'>, 'caller' | 'query'>): Promise<ApiResponse> {
    const request = deliveryListRequest(caller.accountId, query);
    return this.deliveries.read(async (reader) =>
      request.response(await reader.find(request.query)),
    );
  }

  @Operation('listEndpointDeliveries')
  listOfEndpoint({ caller, id, query }: Call<'listEndpointDeliveries'>): Promise<ApiResponse> {
    return this.list({ caller, query: { ...query, endpoint_id: id } });
  }

  @Operation('getDelivery')
  async get({ caller, id, ids }: Call<'getDelivery'>): Promise<ApiResponse> {
    const delivery = await this.deliveries.read((reader) => reader.get(ids.delivery_id));
    if (delivery?.accountId !== caller.accountId || delivery.endpointId !== id)
      throw notFound('delivery', ids.delivery_id);
    return { status: 200, body: deliveryWithAttempts(delivery) };
  }
}
