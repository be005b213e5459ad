import { Controller } from '@nestjs/common';
import { deliveryRecord, DeliveryReads, EndpointReads, Redeliveries } from '@refledger/queries';
import { Operation } from '../http/operation.decorator.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { startedResponse } from '../http/responses.js';
import { EndpointTests } from './endpoint-tests.js';
import { deliveryListRequest, pageResponse } from './list-requests.js';

@Controller()
export class DeliveriesController {
  constructor(
    private readonly reads: DeliveryReads,
    private readonly endpoints: EndpointReads,
    private readonly redeliveries: Redeliveries,
    private readonly tests: EndpointTests,
  ) {}

  @Operation('listDeliveries')
  async list(call: Call<'listDeliveries'>): Promise<ApiResponse> {
    const { query, scope } = deliveryListRequest(call.caller.accountId, call.query);
    return pageResponse(await this.reads.listOfAccount(call, query), scope);
  }

  @Operation('listEndpointDeliveries')
  async listOfEndpoint(call: Call<'listEndpointDeliveries'>): Promise<ApiResponse> {
    await this.endpoints.get(call);
    const ofEndpoint = { ...call.query, endpoint_id: call.id };
    const { query, scope } = deliveryListRequest(call.caller.accountId, ofEndpoint);
    return pageResponse(await this.reads.list(query), scope);
  }

  @Operation('getDelivery')
  async get(call: Call<'getDelivery'>): Promise<ApiResponse> {
    return { status: 200, body: await this.reads.get(call) };
  }

  @Operation('redeliver')
  async redeliver(call: Call<'redeliver'>): Promise<ApiResponse> {
    const { delivery, isRepeated } = await this.redeliveries.redeliver(call);
    return startedResponse(deliveryRecord(delivery, undefined), isRepeated);
  }

  @Operation('testWebhook')
  async test(call: Call<'testWebhook'>): Promise<ApiResponse> {
    return { status: 200, body: await this.reads.shown(await this.tests.run(call)) };
  }
}
