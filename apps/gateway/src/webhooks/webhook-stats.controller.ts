import { Controller } from '@nestjs/common';
import { CommandHandler } from '@refledger/application';
import { Operation } from '../http/operation.decorator.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Deliveries } from './deliveries.js';
import { EndpointReads } from './endpoint-reads.js';
import { endpointStats, statsRange } from './endpoint-stats.js';

/** The operation on the statistics of webhook endpoints, which the dispatchers keep. */
@Controller()
export class WebhookStatsController {
  constructor(
    private readonly endpoints: EndpointReads,
    private readonly deliveries: Deliveries,
    private readonly commands: CommandHandler,
  ) {}

  @Operation('getWebhookStats')
  async get(call: Call<'getWebhookStats'>): Promise<ApiResponse> {
    const { record } = await this.endpoints.get(call);
    const now = Date.parse(this.commands.instant());
    const range = statsRange(record.id, call.query.period ?? '24h', now);
    const [points, oldest] = await this.deliveries.read((reader) =>
      Promise.all([reader.statistics(range), reader.oldestWaiting(record.id)]),
    );
    return { status: 200, body: endpointStats(range, points, { now, oldest }) };
  }
}
