import { Controller } from '@nestjs/common';
import { Operation } from '../http/operation.decorator.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Deliveries } from './deliveries.js';
import { DeliveryLists } from './delivery-lists.js';
import { EndpointReads } from './endpoint-reads.js';
import { EndpointTests } from './endpoint-tests.js';
import { deliveryRecord, deliveryWithAttempts } from './delivery-records.js';
import { recoveriesOf, requireDelivery } from './own-deliveries.js';
import { Redeliveries } from './redeliveries.js';

/** The operations on deliveries. */
@Controller()
export class DeliveriesController {
  constructor(
    private readonly deliveries: Deliveries,
    private readonly lists: DeliveryLists,
    private readonly endpoints: EndpointReads,
    private readonly redeliveries: Redeliveries,
    private readonly tests: EndpointTests,
  ) {}

  @Operation('listDeliveries')
  list(call: Call<'listDeliveries'>): Promise<ApiResponse> {
    return this.lists.ofAccount(call);
  }

  @Operation('listEndpointDeliveries')
  listOfEndpoint(call: Call<'listEndpointDeliveries'>): Promise<ApiResponse> {
    return this.lists.ofEndpoint(call);
  }

  @Operation('getDelivery')
  async get(call: Call<'getDelivery'>): Promise<ApiResponse> {
    const { caller, id, ids } = call;
    await this.endpoints.get(call);
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
