import { comparePositions, type Position } from '@refledger/contracts';
import { asLedgerBehind, type LedgerConsistency, type PostedThrough } from '@refledger/application';
import type { Document, ReadResult, ProjectionSpec, Query, ReadStore } from '@refledger/read-store';
import { type ReadContext, collectionOf } from './read-models.js';

/**
 * Reads the read models of balances and entries. A read first calls `settle`; what it then finds
 * includes every entry caused by its account's writes on this gateway, and by events up to the
 * position that it asks for. All of its methods throw `ledger_behind` when a read model is behind.
 */
export class MoneyReads {
  constructor(
    private readonly store: Pick<ReadStore, 'get' | 'find'>,
    private readonly ledger: Pick<LedgerConsistency, 'logId' | 'settle' | 'postedThrough'>,
  ) {}

  /**
   * Returns a position. Everything that is read afterwards reflects it. Throws `ledger_behind` if
   * the read models do not reach it in time.
   */
  settle(
    projections: readonly ProjectionSpec[],
    { caller, minPosition }: ReadContext,
  ): Promise<Position | undefined> {
    return this.ledger.settle(projections, caller, minPosition);
  }

  /** How far posting has got. */
  postedThrough(): Promise<PostedThrough> {
    return this.ledger.postedThrough();
  }

  get(projection: ProjectionSpec, id: string): Promise<ReadResult<Document | undefined>> {
    return this.store
      .get(projection, this.ledger.logId, collectionOf(projection), id)
      .catch(asLedgerBehind);
  }

  find(projection: ProjectionSpec, query: Query): Promise<ReadResult<readonly Document[]>> {
    return this.store
      .find(projection, this.ledger.logId, collectionOf(projection), query)
      .catch(asLedgerBehind);
  }
}

/** Records by their ids, and what was read to find them. */
interface Records<R> {
  readonly records: ReadonlyMap<string | undefined, R>;
  readonly found: readonly ReadResult<unknown>[];
}

/**
 * Reads the records of a projection with these ids, each once. A decoding boundary: the projection
 * wrote the records that its documents hold.
 */
export const recordsOf = async <R>(
  money: Pick<MoneyReads, 'get'>,
  projection: ProjectionSpec,
  ids: readonly string[],
): Promise<Records<R>> => {
  const distinct = [...new Set(ids)];
  const found = await Promise.all(distinct.map((id) => money.get(projection, id)));
  const records = new Map<string, R>();
  distinct.forEach((id, index) => {
    const record = found[index]?.value?.record;
    if (record !== undefined) records.set(id, record as R);
  });
  return { records, found };
};

/** The position that several reads all reflect. */
export const reflectedByAll = (
  found: readonly Pick<ReadResult<unknown>, 'position'>[],
): Position | undefined => {
  const positions = found.flatMap(({ position }) => position ?? []);
  return positions.length < found.length ? undefined : positions.sort(comparePositions)[0];
};
