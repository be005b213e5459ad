import type { Consistency } from '@refledger/application';
import { fromJson, toJson } from '@refledger/contracts';
import {
  ReadModelUnreadable,
  type Document,
  type Found,
  type JsonLines,
  type Query,
  type ReadStore,
  type ProjectionSpec,
} from '@refledger/read-store';
import { collectionOf, type ReadContext } from '@refledger/queries';
import type { ApiResponse } from './http/request/call.js';
import { listQuery, type ListParameters, type ListScope } from './lists/list-query.js';
import { positionHeader } from './records.js';

export type { ReadContext } from '@refledger/queries';

/**
 * Reads the read models. Each read sees its account's writes on this gateway and the position that
 * it asks for.
 */
export class ReadModels {
  constructor(
    private readonly store: ReadStore,
    private readonly consistency: Consistency,
  ) {}

  /** One document of a projection's collection. */
  async get(
    projection: ProjectionSpec,
    id: string,
    { caller, minPosition }: ReadContext,
  ): Promise<Found<Document | undefined>> {
    return this.read(projection, { caller, minPosition }, () =>
      this.store.get(projection, this.consistency.logId, collectionOf(projection), id),
    );
  }

  /** Documents of one of a projection's collections. */
  async find(
    projection: ProjectionSpec,
    collection: string,
    query: Query,
    context: ReadContext,
  ): Promise<Found<readonly Document[]>> {
    return this.read(projection, context, () =>
      this.store.find(projection, this.consistency.logId, collection, query),
    );
  }

  /** One page of a projection's collection, as the response to a list. */
  async list(
    projection: ProjectionSpec,
    { query, ...context }: ReadContext & { readonly query: ListParameters },
    { shown, ...scope }: Omit<ListScope, 'name'> & { readonly shown?: Shown },
  ): Promise<ApiResponse> {
    const list = listQuery(query, { name: projection.name, ...scope });
    const { value, position } = await this.read(projection, context, () =>
      this.store.findJson(projection, this.consistency.logId, collectionOf(projection), list.query),
    );
    const records = shown === undefined ? value : await changedBy(shown, value);
    return { status: 200, json: list.page(records), headers: positionHeader(position) };
  }

  /**
   * Reads immediately, because the read model is nearly always recent enough. If it is not, waits
   * until it is, and reads again.
   */
  private async read<T>(
    projection: ProjectionSpec,
    { caller, minPosition }: ReadContext,
    find: () => Promise<Found<T>>,
  ): Promise<Found<T>> {
    const found = await find().catch(undefinedIfUnreadable);
    if (
      found !== undefined &&
      this.consistency.isSettled(found.position, caller.accountId, minPosition)
    )
      return found;
    await this.consistency.settle(projection, caller, minPosition);
    return find();
  }
}

/** Changes stored records to what the API shows now. */
type Shown = (records: readonly Document[]) => Promise<readonly object[]>;

const changedBy = async (shown: Shown, { count, text }: JsonLines): Promise<JsonLines> => {
  const lines = text.split('\n').filter((line) => line !== '');
  const records = await shown(lines.map((line) => fromJson(line) as Document));
  return { count, text: records.map((record) => toJson(record)).join('\n') };
};

const undefinedIfUnreadable = (error: unknown): undefined => {
  if (!(error instanceof ReadModelUnreadable)) throw error;
};
