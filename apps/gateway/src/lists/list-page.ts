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
  { shown, ...scope }: Omit<ListScope, 'name'> & { readonly shown?: ShowRecords },
): Promise<ApiResponse> => {
  const list = listQuery(query, { name: projection.name, ...scope });
  const { value, position } = await readModels.findJson(projection, list.query, context);
  const records = shown === undefined ? value : await changedBy(shown, value);
  return { status: 200, json: list.page(records), headers: positionHeader(position) };
};

/** Changes stored records to what the API shows now. */
type ShowRecords = (records: readonly Document[]) => Promise<readonly object[]>;

const changedBy = async (shown: ShowRecords, { count, text }: JsonLines): Promise<JsonLines> => {
  const lines = text.split('\n').filter((line) => line !== '');
  const records = await shown(lines.map((line) => fromJson(line) as Document));
  return { count, text: records.map((record) => toJson(record)).join('\n') };
};
