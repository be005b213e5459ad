import { fromJson, toJson } from '@refledger/contracts';
import type { ReadContext, ReadModels } from '@refledger/queries';
import type { Document, JsonLines, ProjectionSpec } from '@refledger/read-store';
import type { ApiResponse } from '../http/request/call.js';
import { positionHeader } from '../http/responses.js';
import { listQuery, type ListParameters, type ListScope } from './list-query.js';

/** One page of a projection's collection, as the response to a list. */
export const listPage = async (
  readModels: Pick<ReadModels, 'findJson'>,
  projection: ProjectionSpec,
  { query, ...context }: ReadContext & { readonly query: ListParameters },
  { shown, ...scope }: Omit<ListScope, 'name'> & ShownRecords,
): Promise<ApiResponse> => {
  const list = listQuery(query, { name: projection.name, ...scope });
  const { value, position } = await readModels.findJson(projection, list.query, context);
  const records = shown === undefined ? value : await changedBy(shown, value, list.query.limit - 1);
  return { status: 200, json: list.page(records), headers: positionHeader(position) };
};

/** How stored records are shown, unless the API shows them as they are. */
export interface ShownRecords {
  readonly shown?: ShowRecords;
}

type ShowRecords = (records: readonly Document[]) => Promise<readonly object[]>;

/** Changes the rows of a page. The row after it stays: it only tells that more follow. */
const changedBy = async (
  shown: ShowRecords,
  { count, text }: JsonLines,
  size: number,
): Promise<JsonLines> => {
  const lines = text.split('\n').filter((line) => line !== '');
  const records = await shown(lines.slice(0, size).map((line) => fromJson(line) as Document));
  const changed = records.map((record) => toJson(record));
  return { count, text: [...changed, ...lines.slice(size)].join('\n') };
};
