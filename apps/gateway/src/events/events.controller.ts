import { Controller } from '@nestjs/common';
import { Consistency } from '@refledger/application';
import { EventFeed } from '@refledger/queries';
import { Operation } from '../http/operation.decorator.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { positionHeader } from '../http/responses.js';

/** The events of an account, with the bodies that webhooks carry. */
@Controller()
export class EventsController {
  constructor(
    private readonly feed: EventFeed,
    private readonly consistency: Consistency,
  ) {}

  @Operation('listEvents')
  async list(call: Call<'listEvents'>): Promise<ApiResponse> {
    const { bodies, hasMore, next, reached } = await this.feed.page(call);
    const rest = JSON.stringify({
      has_more: hasMore,
      [call.query.sort === '-position' ? 'next_before' : 'next_after']: next,
      log_id: this.consistency.logId,
      position: reached,
    });
    return {
      status: 200,
      json: `{"object":"list","data":[${bodies.join(',')}],${rest.slice(1)}`,
      headers: positionHeader(reached),
    };
  }

  @Operation('getEvent')
  async get(call: Call<'getEvent'>): Promise<ApiResponse> {
    const { body, reached } = await this.feed.get(call.position, call);
    return { status: 200, json: body, headers: positionHeader(reached) };
  }
}
