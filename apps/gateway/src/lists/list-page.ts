import { fromJson } from '@refledger/contracts';
import type { ReadContext, ReadModels } from '@refledger/queries';
import type { Document, JsonLines, ProjectionSpec } from '@refledger/read-store';
import type { ApiResponse } from '../http/request/call.js';
import { listResponse, positionHeader } from '../http/responses.js';
import { listQuery, type ListParameters, type ListScope, type Row } from './list-query.js';

/** One page of a projection's collection, as the response to a list. */
export const listPage = async (
  readModels: Pick<ReadModels, 'findJson'>,
  projection: ProjectionSpec,
  { query, ...context }: ReadContext & { readonly query: ListParameters },
  { shown, ...scope }: Omit<ListScope, 'name'> & ShownRecords,
): Promise<ApiResponse> => {
  const list = listQuery(query, { name: projection.name, ...scope });
  const { value, position } = await readModels.findJson(projection, list.query, context);
  if (shown === undefined)
    return { status: 200, json: list.page(value), headers: positionHeader(position) };
  const size = list.query.limit - 1;
  const rows = rowsOf(value).slice(0, size);
  const last = value.count > size ? rows.at(-1) : undefined;
  return listResponse(await shown(rows), list.cursorAfter(last), position);
};

/** How stored records are shown, unless the API shows them as they are. */
export interface ShownRecords {
  /** May leave out records: the page is then shorter, and the next one begins where it would have. */
  readonly shown?: (records: readonly Document[]) => Promise<readonly object[]>;
}

// a decoding boundary: the projection wrote these records
const rowsOf = ({ text }: JsonLines): readonly (Document & Row)[] =>
  fromJson(`[${text.replaceAll('\n', ',')}]`) as readonly (Document & Row)[];
