import { Controller } from '@nestjs/common';
import { Replays } from '@refledger/queries';
import { Operation } from '../http/operation.decorator.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { startedResponse } from '../http/responses.js';
import { pageResponse, replayListRequest } from './list-requests.js';

/** The operations on replays. Like those on deliveries, they wait for no write. */
@Controller()
export class ReplaysController {
  constructor(private readonly replays: Replays) {}

  @Operation('createReplay')
  async create(call: Call<'createReplay'>): Promise<ApiResponse> {
    const { replay, isRepeated } = await this.replays.begin(call);
    return startedResponse(replay, isRepeated);
  }

  @Operation('listReplays')
  async list(call: Call<'listReplays'>): Promise<ApiResponse> {
    const { query, scope } = replayListRequest(call.id, call.query);
    return pageResponse(await this.replays.list(call, query), scope);
  }

  @Operation('getReplay')
  async get(call: Call<'getReplay'>): Promise<ApiResponse> {
    return { status: 200, body: await this.replays.get(call) };
  }

  @Operation('stopReplay')
  async stop(call: Call<'stopReplay'>): Promise<ApiResponse> {
    await this.replays.stop(call);
    return { status: 204 };
  }
}
