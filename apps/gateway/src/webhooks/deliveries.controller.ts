import { Controller } from '@nestjs/common';
import { Operation } from '../http/operation.decorator.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Deliveries } from './deliveries.js';
import { EndpointTests } from './endpoint-tests.js';
import { deliveryListRequest } from './delivery-list-request.js';
import { deliveryRecord, deliveryWithAttempts } from './delivery-records.js';
import { recoveriesOf, requireDelivery } from './own-deliveries.js';
import { Redeliveries } from './redeliveries.js';

/**
 * The operations on deliveries. A list may be a moment behind: it waits for no write. Deliveries
 * outlive their endpoint, so the endpoint need not exist to read them.
 */
@Controller()
export class DeliveriesController {
  constructor(
    private readonly deliveries: Deliveries,
    private readonly redeliveries: Redeliveries,
    private readonly tests: EndpointTests,
  ) {}

  @Operation('listDeliveries')
  list({ caller, query }: Pick<Call<'listDeliveries'>, 'caller' | 'query'>): Promise<ApiResponse> {
    const request = deliveryListRequest(caller.accountId, query);
    return this.deliveries.read(async (reader) => {
      const page = await reader.find(request.query);
      return request.response(page, await recoveriesOf(reader, page.deliveries));
    });
  }

  @Operation('listEndpointDeliveries')
  listOfEndpoint({ caller, id, query }: Call<'listEndpointDeliveries'>): Promise<ApiResponse> {
    return this.list({ caller, query: { ...query, endpoint_id: id } });
  }

  @Operation('getDelivery')
  async get({ caller, id, ids }: Call<'getDelivery'>): Promise<ApiResponse> {
    return this.deliveries.read(async (reader) => {
      const delivery = requireDelivery(await reader.get(ids.delivery_id), {
        id: ids.delivery_id,
        accountId: caller.accountId,
        endpointId: id,
      });
      const [recovery] = await recoveriesOf(reader, [delivery]);
      return { status: 200, body: deliveryWithAttempts(delivery, recovery) };
    });
  }

  @Operation('redeliver')
  async redeliver(call: Call<'redeliver'>): Promise<ApiResponse> {
    const { delivery, isRepeated } = await this.redeliveries.redeliver(call);
    const body = deliveryRecord(delivery, undefined);
    return isRepeated
      ? { status: 200, body, headers: { 'idempotent-replayed': 'true' } }
      : { status: 202, body };
  }

  @Operation('testWebhook')
  async test(call: Call<'testWebhook'>): Promise<ApiResponse> {
    const body = deliveryWithAttempts(await this.tests.run(call), undefined);
    return { status: 200, body };
  }
}
