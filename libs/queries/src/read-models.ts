import type { Consistency, Reader } from '@refledger/application';
import {
  ReadModelUnreadable,
  type Document,
  type ReadResult,
  type JsonLines,
  type Query,
  type ReadStore,
  type ProjectionSpec,
} from '@refledger/read-store';
import type { Position } from '@refledger/contracts';

/** The caller of a read, and the least position that it must reflect. */
export interface ReadContext {
  readonly caller: Reader;
  readonly minPosition: Position | undefined;
}

/**
 * Reads the read models. Each read sees its account's writes on this gateway and the position that
 * it asks for.
 */
export class ReadModels {
  constructor(
    private readonly store: Pick<ReadStore, 'get' | 'find' | 'findJson'>,
    private readonly consistency: Pick<Consistency, 'logId' | 'isSettled' | 'settle'>,
  ) {}

  /** One document of a projection's collection. */
  async get(
    projection: ProjectionSpec,
    id: string,
    { caller, minPosition }: ReadContext,
  ): Promise<ReadResult<Document | undefined>> {
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
  ): Promise<ReadResult<readonly Document[]>> {
    return this.read(projection, context, () =>
      this.store.find(projection, this.consistency.logId, collection, query),
    );
  }

  /** Records of a projection's collection as JSON text. */
  async findJson(
    projection: ProjectionSpec,
    query: Query,
    context: ReadContext,
  ): Promise<ReadResult<JsonLines>> {
    return this.read(projection, context, () =>
      this.store.findJson(projection, this.consistency.logId, collectionOf(projection), query),
    );
  }

  /**
   * Reads immediately, because the read model is nearly always recent enough. If it is not, waits
   * until it is, and reads again.
   */
  private async read<T>(
    projection: ProjectionSpec,
    { caller, minPosition }: ReadContext,
    find: () => Promise<ReadResult<T>>,
  ): Promise<ReadResult<T>> {
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

/** Makes a read model that cannot be read look like one that is behind. */
export const undefinedIfUnreadable = (error: unknown): undefined => {
  if (!(error instanceof ReadModelUnreadable)) throw error;
};

/**
 * The projection's first collection, which holds its records. Every projection of Refledger has
 * one.
 */
export const collectionOf = ({ name, collections: [collection] }: ProjectionSpec): string => {
  if (collection === undefined) throw new TypeError(`the projection ${name} has no collection`);
  return collection.name;
};
