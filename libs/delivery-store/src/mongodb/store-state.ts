import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import { toPosition, type Position } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import { duplicateKey, ignoring } from '@refledger/mongodb';
import { DeliveryStoreError } from '../delivery-store.js';
import { ForeignOffset } from '../planner-store.js';

/**
 * The store's id, its offsets in the bus and the floor. They are in one document, so that each
 * change is one atomic step.
 */
export interface StateDocument {
  readonly _id: 'state';
  /** Absent in the formats before 3. */
  readonly format?: number;
  readonly store_id: string;
  readonly offsets: readonly OffsetEntry[];
  readonly floor?: bigint;
  /** Deliveries that ended before this instant may have been removed. */
  readonly ended_before?: string;
}

interface OffsetEntry {
  readonly partition: string;
  readonly source: string;
  readonly offset: bigint;
  readonly mark: string | null;
}

/** The format of a store's documents. A store of another format is refused. */
const storeFormat = 6;

/** The initial state of a store. */
export interface NewStore {
  readonly id: string;
  readonly offsets: readonly Offset[];
  readonly floor: Position | undefined;
  readonly endedBefore: string | undefined;
}

/** Reads and changes the state document. */
export class StoreState {
  private waiting: Raise[] = [];
  private isRaising = false;

  constructor(private readonly states: Collection<StateDocument>) {}

  /** The id, created when the store is first opened. */
  async id(): Promise<string> {
    return this.make({
      id: randomUUID(),
      offsets: [],
      floor: undefined,
      endedBefore: undefined,
    });
  }

  /** Creates the state if there is none yet. Resolves to the id of the store that exists then. */
  async make({ id, offsets, floor, endedBefore }: NewStore): Promise<string> {
    const made = {
      format: storeFormat,
      store_id: id,
      offsets: offsets.map(toEntry),
      ...(floor !== undefined && { floor: BigInt(floor) }),
      ...(endedBefore !== undefined && { ended_before: endedBefore }),
    };
    await this.states
      .updateOne({ _id: 'state' }, { $setOnInsert: made }, { upsert: true })
      // another opening may have created it meanwhile
      .catch(ignoring(duplicateKey));
    return (await this.read()).store_id;
  }

  /** The id of the existing store; undefined if there is none. */
  async idIfMade(): Promise<string | undefined> {
    return (await this.states.findOne({ _id: 'state' }))?.store_id;
  }

  /** The id of the existing store. Throws a `DeliveryStoreError` if there is none. */
  async existingId(): Promise<string> {
    if ((await this.idIfMade()) === undefined)
      throw new DeliveryStoreError('unavailable', 'this database has no delivery store yet');
    return (await this.read()).store_id;
  }

  async offsets(): Promise<readonly Offset[]> {
    return (await this.read()).offsets
      .map(toOffset)
      .sort((a, b) => (a.partition < b.partition ? -1 : 1));
  }

  async floor(): Promise<Position | undefined> {
    const { floor } = await this.read();
    return floor === undefined ? undefined : toPosition(floor.toString());
  }

  /** Deliveries that ended before this instant may have been removed; undefined: none was. */
  async endedBefore(): Promise<string | undefined> {
    return (await this.read()).ended_before;
  }

  async raiseEndedBefore(instant: string): Promise<void> {
    await this.states.updateOne({ _id: 'state' }, { $max: { ended_before: instant } });
  }

  /** Throws `ForeignOffset` when the offset of this partition is from another source. */
  async checkSource(offset: Offset): Promise<void> {
    const stored = (await this.read()).offsets.find(
      ({ partition }) => partition === offset.partition,
    );
    if (stored !== undefined && stored.source !== offset.source)
      throw new ForeignOffset(offset, toOffset(stored));
  }

  /**
   * Raises offset and floor; neither ever falls. Throws `ForeignOffset`. Calls that come while one
   * is being written share the next request: every partition changes the same document, and
   * concurrent changes to it would conflict.
   */
  raise(reached: Offset, floor: Position | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ reached, floor, resolve, reject });
      if (!this.isRaising) void this.raiseWaiting();
    });
  }

  async reset(offsets: readonly Offset[], floor: Position | undefined): Promise<void> {
    await this.states.updateOne(
      { _id: 'state' },
      {
        $set: {
          offsets: offsets.map(toEntry),
          ...(floor !== undefined && { floor: BigInt(floor) }),
        },
        ...(floor === undefined && { $unset: { floor: '' } }),
      },
    );
  }

  private async raiseWaiting(): Promise<void> {
    this.isRaising = true;
    while (this.waiting.length > 0) {
      const all = this.waiting.splice(0);
      const moving = this.states.bulkWrite(all.map(moveOffset));
      for (const raise of all)
        await moving
          // the count does not say which offsets were not raised
          .then(({ matchedCount }) =>
            matchedCount === all.length ? undefined : this.addOrCheck(raise),
          )
          .then(raise.resolve, raise.reject);
    }
    this.isRaising = false;
  }

  /** For an offset that was not moved: its partition is new, or has reached it already. */
  private async addOrCheck({ reached, floor }: Raise): Promise<void> {
    const added = await this.states.updateOne(
      { _id: 'state', 'offsets.partition': { $ne: reached.partition } },
      { $push: { offsets: toEntry(reached) }, ...raisedTo(floor) },
    );
    if (added.matchedCount > 0) return;
    await this.checkSource(reached);
    if (floor !== undefined) await this.states.updateOne({ _id: 'state' }, raisedTo(floor));
  }

  private async read(): Promise<StateDocument> {
    const state = await this.states.findOne({ _id: 'state' });
    if (state === null)
      throw new Error('the database no longer has the state of the delivery store');
    if (state.format !== storeFormat)
      throw new DeliveryStoreError(
        'unusable',
        `this delivery store has ${state.format === undefined ? 'an earlier format' : `format ${state.format}`}, but this version reads format ${storeFormat}. Use the version that created it, or start with an empty log and an empty database.`,
      );
    return state;
  }
}

/** A call to `raise` that is waiting. */
interface Raise {
  readonly reached: Offset;
  readonly floor: Position | undefined;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const moveOffset = ({ reached, floor }: Raise) => {
  const { partition, source, offset, mark } = toEntry(reached);
  return {
    updateOne: {
      filter: {
        _id: 'state' as const,
        offsets: { $elemMatch: { partition, source, offset: { $lt: offset } } },
      },
      update: {
        $set: { 'offsets.$.offset': offset, 'offsets.$.mark': mark },
        ...raisedTo(floor),
      },
    },
  };
};

const raisedTo = (floor: Position | undefined) =>
  floor === undefined ? {} : { $max: { floor: BigInt(floor) } };

const toEntry = ({ partition, source, offset, mark }: Offset): OffsetEntry => ({
  partition,
  source,
  offset: BigInt(offset),
  mark: mark ?? null,
});

const toOffset = ({ partition, source, offset, mark }: OffsetEntry): Offset => ({
  partition,
  source,
  offset: offset.toString(),
  ...(mark !== null && { mark }),
});
