import { Controller } from '@nestjs/common';
import { Operation } from '../http/operation.decorator.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { replayRecord } from './replay-records.js';
import { Replays } from './replays.js';

/** The operations on replays. Like those on deliveries, they wait for no write. */
@Controller()
export class ReplaysController {
  constructor(private readonly replays: Replays) {}

  @Operation('createReplay')
  async create(call: Call<'createReplay'>): Promise<ApiResponse> {
    const { replay, isRepeated } = await this.replays.begin(call);
    const body = replayRecord(replay);
    return isRepeated
      ? { status: 200, body, headers: { 'idempotent-replayed': 'true' } }
      : { status: 202, body };
  }

  @Operation('listReplays')
  list(call: Call<'listReplays'>): Promise<ApiResponse> {
    return this.replays.list(call);
  }

  @Operation('getReplay')
  async get(call: Call<'getReplay'>): Promise<ApiResponse> {
    return { status: 200, body: replayRecord(await this.replays.get(call)) };
  }

  @Operation('stopReplay')
  async stop(call: Call<'stopReplay'>): Promise<ApiResponse> {
    await this.replays.stop(call);
    return { status: 204 };
  }
}
