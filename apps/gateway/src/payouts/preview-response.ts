import { isId, type BalanceId } from '@refledger/contracts';
import type { BalanceCursor } from '@refledger/balances';
import type { RunPreviews } from '@refledger/queries';
import type { ApiResponse, Call } from '../http/request/call.js';
import { cursorAfter, decodeCursor } from '../lists/cursor.js';
import { valueResponse } from '../http/responses.js';

/** The response with a preview of a payout run. A cursor is only for the terms it was made for. */
export const previewResponse = async (
  previews: Pick<RunPreviews, 'terms' | 'preview'>,
  { caller, body }: Pick<Call<'createPayoutRun'>, 'caller' | 'body'>,
): Promise<ApiResponse> => {
  const terms = previews.terms(body);
  const scope = ['payout_run_preview', caller.accountId, JSON.stringify(terms)];
  const begin = body.cursor === undefined ? undefined : balanceIn(body.cursor, scope);
  const { preview, next, position } = await previews.preview(caller, terms, begin);
  const next_cursor = cursorAfter(next && [next.created_at, next.id], scope);
  return valueResponse({ ...preview, has_more: next !== undefined, next_cursor }, position);
};

const balanceIn = (cursor: string, scope: readonly string[]): BalanceCursor => {
  const [created_at, id] = decodeCursor(cursor, scope, isBalance, '/cursor');
  return { created_at, id };
};

const isBalance = (values: readonly unknown[]): values is [string, BalanceId] => {
  const [created_at, id, ...others] = values;
  const isText = typeof created_at === 'string' && typeof id === 'string';
  return isText && isId('balance', id) && others.length === 0;
};
