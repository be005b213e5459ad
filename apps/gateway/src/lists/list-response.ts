import type { Position } from '@refledger/contracts';
import type { ApiResponse } from '../http/request/call.js';
import { positionHeader } from '../records.js';

/** The response with one page of a list. No page follows it if `nextCursor` is null. */
export const listResponse = (
  data: readonly unknown[],
  nextCursor: string | null,
  position: Position | undefined,
): ApiResponse => ({
  status: 200,
  body: { object: 'list', data, has_more: nextCursor !== null, next_cursor: nextCursor },
  headers: positionHeader(position),
});
