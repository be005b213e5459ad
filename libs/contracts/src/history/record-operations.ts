import type { z } from 'zod';
import type { IdKind } from '../ids/ids.js';
import { listOf, type OperationSpec } from '../shared/operation-spec.js';
import { changeOf } from './change.record.js';
import { asOfQuerySchema, historyQuerySchema } from './history.requests.js';

type Path = OperationSpec['path'];

/** The operation that lists the records of a kind. */
export const list = <P extends Path, Q extends z.ZodObject, R extends z.ZodType>(
  path: P,
  summary: string,
  { query }: { readonly query: Q },
  record: R,
) => {
  const responses = { 200: listOf(record, `${idOf(record)}List`) };
  return { method: 'GET', path, scope: 'read', summary, query, responses } as const;
};

/** The operation that reads a record, as it is now or as of a position or a time. */
export const read = <P extends Path, K extends IdKind, R extends z.ZodType>(
  path: P,
  id: K,
  summary: string,
  record: R,
) => {
  const [query, responses] = [asOfQuerySchema, { 200: record }] as const;
  return { method: 'GET', path, id, scope: 'read', summary, etag: true, query, responses } as const;
};

/** The operation that reads every change to a record of an aggregate. */
export const history = <P extends Path, K extends IdKind>(
  path: P,
  id: K,
  summary: string,
  aggregate: Parameters<typeof changeOf>[0],
) => {
  const name = idOf(aggregate.record);
  const responses = { 200: listOf(changeOf(aggregate, `${name}Change`), `${name}History`) };
  return {
    method: 'GET',
    path,
    id,
    scope: 'read',
    summary,
    query: historyQuerySchema,
    responses,
  } as const;
};

/** The name of a record in the OpenAPI document. */
const idOf = (record: z.ZodType): string => {
  const id = record.meta()?.id;
  if (id === undefined) throw new TypeError('a record has no name');
  return id;
};
