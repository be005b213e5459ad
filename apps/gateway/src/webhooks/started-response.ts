import type { ApiResponse } from '../http/request/call.js';

/** The response to a request that started something, or that repeats one that did. */
export const startedResponse = (body: unknown, isRepeated: boolean): ApiResponse =>
  isRepeated
    ? { status: 200, body, headers: { 'idempotent-replayed': 'true' } }
    : { status: 202, body };
