import { randomUUID } from 'node:crypto';
import { MongoServerError, type Collection } from 'mongodb';
import { toPosition, type Position } from '@refledger/contracts';
import type { BusPlace } from '@refledger/event-bus';
import { ForeignPlace } from '../delivery-store.js';

/** The store's id, its places in the bus and the floor, in one document: so each change of them is one atomic step. */
export interface StateDocument {
  readonly _id: 'state';
  readonly store_id: string;
  readonly places: readonly PlaceEntry[];
  readonly floor?: bigint;
}

interface PlaceEntry {
  readonly partition: string;
  readonly source: string;
  readonly offset: bigint;
  readonly mark: string | null;
}

export class StoreState {
  constructor(private readonly states: Collection<StateDocument>) {}

  /** The id, made with the first opening. */
  async id(): Promise<string> {
    return this.make({ id: randomUUID(), places: [], floor: undefined });
  }

  /** Makes the store as it shall be, where there is none yet. Answers the id of the one that is there then. */
  async make({
    id,
    places,
    floor,
  }: {
    readonly id: string;
    readonly places: readonly BusPlace[];
    readonly floor: Position | undefined;
  }): Promise<string> {
    const made = {
      store_id: id,
      places: places.map(toEntry),
      ...(floor !== undefined && { floor: BigInt(floor) }),
    };
    await this.states
      .updateOne({ _id: 'state' }, { $setOnInsert: made }, { upsert: true })
      .catch((error: unknown) => {
        // another opening made it meanwhile
        if (!(error instanceof MongoServerError) || error.code !== 11000) throw error;
      });
    return (await this.read()).store_id;
  }

  /** The id of the store that is there; undefined where nobody has made one. */
  async idIfMade(): Promise<string | undefined> {
    return (await this.states.findOne({ _id: 'state' }))?.store_id;
  }

  async places(): Promise<readonly BusPlace[]> {
    return (await this.read()).places
      .map(toPlace)
      .sort((a, b) => (a.partition < b.partition ? -1 : 1));
  }

  async floor(): Promise<Position | undefined> {
    const { floor } = await this.read();
    return floor === undefined ? undefined : toPosition(floor.toString());
  }

  /** Throws `ForeignPlace` when the place of this partition is of another source. */
  async checkSource(place: BusPlace): Promise<void> {
    const stored = (await this.read()).places.find(
      ({ partition }) => partition === place.partition,
    );
    if (stored !== undefined && stored.source !== place.source)
      throw new ForeignPlace(place, toPlace(stored));
  }

  /** Place and floor each move on only. Throws `ForeignPlace`. */
  async raise(place: BusPlace, floor: Position | undefined): Promise<void> {
    const entry = toEntry(place);
    const { partition, source, offset, mark } = entry;
    const raised = floor === undefined ? {} : { $max: { floor: BigInt(floor) } };
    const moved = await this.states.updateOne(
      { _id: 'state', places: { $elemMatch: { partition, source, offset: { $lt: offset } } } },
      { $set: { 'places.$.offset': offset, 'places.$.mark': mark }, ...raised },
    );
    if (moved.matchedCount > 0) return;
    const added = await this.states.updateOne(
      { _id: 'state', 'places.partition': { $ne: partition } },
      { $push: { places: entry }, ...raised },
    );
    if (added.matchedCount > 0) return;
    await this.checkSource(place);
    if (floor !== undefined) await this.states.updateOne({ _id: 'state' }, raised);
  }

  async reset(places: readonly BusPlace[], floor: Position | undefined): Promise<void> {
    await this.states.updateOne(
      { _id: 'state' },
      {
        $set: { places: places.map(toEntry), ...(floor !== undefined && { floor: BigInt(floor) }) },
        ...(floor === undefined && { $unset: { floor: '' } }),
      },
    );
  }

  private async read(): Promise<StateDocument> {
    const state = await this.states.findOne({ _id: 'state' });
    if (state === null)
      throw new Error('the state of the delivery store has gone from its database');
    return state;
  }
}

const toEntry = ({ partition, source, offset, mark }: BusPlace): PlaceEntry => ({
  partition,
  source,
  offset: BigInt(offset),
  mark: mark ?? null,
});

const toPlace = ({ partition, source, offset, mark }: PlaceEntry): BusPlace => ({
  partition,
  source,
  offset: offset.toString(),
  ...(mark !== null && { mark }),
});
