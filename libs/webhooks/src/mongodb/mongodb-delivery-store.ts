import type { Collection } from 'mongodb';
import { toInstant, type DeliveryId, type EndpointId } from '@refledger/contracts';
import {
  connectMongodb,
  insertNew,
  type MongodbConnection,
} from '@refledger/read-store/mongodb/engine';
import type {
  AttemptResult,
  Delivery,
  DeliveryStatus,
  DeliveryStore,
  Lease,
  Plan,
  UnfinishedDelivery,
} from '../delivery-store.js';
import { asStoreErrors } from './as-store-errors.js';
import {
  toDelivery,
  toDocument,
  toUnfinished,
  type DeliveryDocument,
} from './delivery-document.js';
import { ensureIndexes } from './delivery-indexes.js';
import { StoreState, type StateDocument } from './store-state.js';
import { takeDue } from './take-due.js';

export interface MongodbDeliveryStoreOptions {
  /** `mongodb://…` or `mongodb+srv://…`, with user, TLS and the name of the database. */
  readonly url: string;
}

const statuses: readonly DeliveryStatus[] = ['due', 'started', 'succeeded', 'failed', 'cancelled'];
const noLease = { holder: '', lease_until: '', claim: '' } as const;
/** So many in one request. */
const step = 1_000;

/** Deliveries in a MongoDB database that several dispatchers share: a replica set, a standalone server or a sharded cluster. Needs no transactions. */
export const openMongodbDeliveryStore = ({
  url,
}: MongodbDeliveryStoreOptions): Promise<DeliveryStore> =>
  asStoreErrors(async () => {
    const connection = await connectMongodb(url, 'refledger-delivery-store');
    try {
      const deliveries = connection.db.collection<DeliveryDocument>('deliveries');
      const state = new StoreState(connection.db.collection<StateDocument>('delivery_state'));
      await ensureIndexes(deliveries);
      return new MongodbDeliveryStore(await state.id(), connection, deliveries, state);
    } catch (error) {
      await connection.close();
      throw error;
    }
  });

class MongodbDeliveryStore implements DeliveryStore {
  constructor(
    readonly id: string,
    private readonly connection: MongodbConnection,
    private readonly deliveries: Collection<DeliveryDocument>,
    private readonly state: StoreState,
  ) {}

  async place(partition: string) {
    return (await this.places()).find((place) => place.partition === partition);
  }

  places() {
    return asStoreErrors(() => this.state.places());
  }

  floor() {
    return asStoreErrors(() => this.state.floor());
  }

  resetPlaces(...[places, floor]: Parameters<DeliveryStore['resetPlaces']>) {
    return asStoreErrors(() => this.state.reset(places, floor));
  }

  /**
   * First the deliveries, each inserted only where it isn't there, then place and floor. A crash between leaves the place behind: the batch is
   * planned again, which inserts nothing, and what the dead planner had started is recovered when its lease has run out.
   */
  plan({ deliveries, place, floor }: Plan, lease: Lease): Promise<readonly DeliveryId[]> {
    return asStoreErrors(async () => {
      await this.state.checkSource(place);
      const there = new Set<string>();
      const documents = deliveries.map((delivery, n) => toDocument(delivery, n, lease));
      for (let from = 0; from < documents.length; from += step)
        for (const { _id } of await insertNew(this.deliveries, documents.slice(from, from + step)))
          there.add(_id);
      await this.state.raise(place, floor);
      return deliveries.flatMap(({ id }) => (there.has(id) ? [] : [id]));
    });
  }

  takeDue(endpoint: EndpointId, limit: number, lease: Lease): Promise<readonly Delivery[]> {
    return asStoreErrors(async () =>
      (await takeDue(this.deliveries, endpoint, limit, lease)).map(toDelivery),
    );
  }

  endpointsWithWork(now: string): Promise<readonly EndpointId[]> {
    return asStoreErrors(async () => {
      const due = await this.deliveries.distinct('endpoint_id', {
        status: 'due',
        due_at: { $lte: now },
      });
      const lost = await this.deliveries.distinct('endpoint_id', {
        status: 'started',
        lease_until: { $lte: now },
      });
      return [...new Set([...due, ...lost])] as readonly EndpointId[];
    });
  }

  nextDueAt(after: string): Promise<string | undefined> {
    return asStoreErrors(async () => {
      const due = await this.deliveries.findOne(
        { status: 'due', due_at: { $gt: after } },
        { sort: { due_at: 1 }, projection: { due_at: 1 } },
      );
      const lost = await this.deliveries.findOne(
        { status: 'started', lease_until: { $gt: after } },
        { sort: { lease_until: 1 }, projection: { lease_until: 1 } },
      );
      return [due?.due_at ?? [], lost?.lease_until ?? []].flat().sort()[0];
    });
  }

  renew(deliveries: readonly DeliveryId[], { holder, leaseUntil }: Lease): Promise<void> {
    return asStoreErrors(
      async () =>
        void (await this.deliveries.updateMany(
          { _id: { $in: [...deliveries] }, status: 'started', holder },
          { $set: { lease_until: leaseUntil } },
        )),
    );
  }

  release(
    deliveries: readonly DeliveryId[],
    { holder, now }: Pick<Lease, 'holder' | 'now'>,
  ): Promise<void> {
    return asStoreErrors(
      async () =>
        void (await this.deliveries.updateMany(
          { _id: { $in: [...deliveries] }, status: 'started', holder },
          {
            $set: { status: 'due', due_at: now },
            $inc: { attempt: -1 },
            $pop: { attempts: 1 },
            $unset: noLease,
          },
        )),
    );
  }

  recover({ now, leftBy }: { readonly now: string; readonly leftBy?: string }): Promise<number> {
    return asStoreErrors(async () => {
      const lost = [
        { lease_until: { $lte: now } },
        ...(leftBy === undefined ? [] : [{ holder: leftBy }]),
      ];
      const recovered = {
        status: 'due',
        due_at: now,
        waits_since: now,
        'attempts.$[open].finishedAt': now,
        'attempts.$[open].outcome': 'unknown',
      } as const;
      return (
        await this.deliveries.updateMany(
          { status: 'started', $or: lost },
          { $set: recovered, $unset: noLease },
          { arrayFilters: [{ 'open.outcome': null }] },
        )
      ).modifiedCount;
    });
  }

  waitAnew({ now, leaseUntil }: Pick<Lease, 'now' | 'leaseUntil'>): Promise<number> {
    return asStoreErrors(async () => {
      await this.deliveries.updateMany(
        { status: 'started', lease_until: { $gt: leaseUntil } },
        { $set: { lease_until: leaseUntil } },
      );
      for (let count = 0; ;) {
        // none of them is found again, since what waits from now on doesn't wait since later
        const some = await this.deliveries
          .find(
            { status: 'due', due_at: { $gt: now }, waits_since: { $gt: now } },
            { limit: step, projection: { due_at: 1, waits_since: 1 } },
          )
          .toArray();
        if (some.length === 0) return count;
        const { modifiedCount } = await this.deliveries.bulkWrite(
          some.map(({ _id, due_at = now, waits_since }) => ({
            updateOne: {
              filter: { _id, status: 'due', due_at },
              update: {
                $set: {
                  due_at: toInstant(Date.parse(now) + Date.parse(due_at) - Date.parse(waits_since)),
                  waits_since: now,
                },
              },
            },
          })),
          { ordered: false },
        );
        count += modifiedCount;
      }
    });
  }

  finish(results: readonly AttemptResult[], holder: string): Promise<void> {
    return asStoreErrors(async () => {
      if (results.length === 0) return;
      await this.deliveries.bulkWrite(
        results.map(({ deliveryId, attempt, next }) => ({
          updateOne: {
            filter: { _id: deliveryId, status: 'started', holder, attempt: attempt.number },
            update: {
              $set: {
                status: next.status,
                [`attempts.${attempt.number - 1}`]: attempt,
                ...endOf(attempt.finishedAt, next),
              },
              $unset: noLease,
            },
          },
        })),
        { ordered: false },
      );
    });
  }

  cancel(endpoint: EndpointId, reason: string, now: string): Promise<number> {
    return asStoreErrors(
      async () =>
        (
          await this.deliveries.updateMany(
            { endpoint_id: endpoint, status: 'due' },
            { $set: { status: 'cancelled', finished_at: now, reason }, $unset: { due_at: '' } },
          )
        ).modifiedCount,
    );
  }

  unfinished(endpoint: EndpointId): Promise<readonly UnfinishedDelivery[]> {
    return asStoreErrors(async () => {
      const found = await Promise.all(
        (['due', 'started'] as const).map((status) =>
          this.deliveries
            .find({ endpoint_id: endpoint, status }, { projection: { event_id: 1, position: 1 } })
            .toArray(),
        ),
      );
      // one that was taken or given back meanwhile is in both
      return [
        ...new Map(found.flat().map((document) => [document._id, toUnfinished(document)])).values(),
      ];
    });
  }

  cancelUnfinished(
    deliveries: readonly DeliveryId[],
    reason: string,
    now: string,
  ): Promise<number> {
    return asStoreErrors(async () => {
      const these = { _id: { $in: [...deliveries] } };
      const end = { status: 'cancelled', finished_at: now, reason } as const;
      const unknown = {
        'attempts.$[open].finishedAt': now,
        'attempts.$[open].outcome': 'unknown',
      } as const;
      for (let cancelled = 0; ;) {
        const due = await this.deliveries.updateMany(
          { ...these, status: 'due' },
          { $set: end, $unset: { due_at: '' } },
        );
        const started = await this.deliveries.updateMany(
          { ...these, status: 'started' },
          { $set: { ...end, ...unknown }, $unset: noLease },
          { arrayFilters: [{ 'open.outcome': null }] },
        );
        cancelled += due.modifiedCount + started.modifiedCount;
        // others may have given back meanwhile what they held
        if (due.modifiedCount + started.modifiedCount === 0) return cancelled;
      }
    });
  }

  get(id: DeliveryId): Promise<Delivery | undefined> {
    return asStoreErrors(async () => {
      const found = await this.deliveries.findOne({ _id: id });
      return found === null ? undefined : toDelivery(found);
    });
  }

  list({
    endpointId,
    limit,
    after,
  }: Parameters<DeliveryStore['list']>[0]): Promise<readonly Delivery[]> {
    return asStoreErrors(async () => {
      const last =
        after === undefined
          ? undefined
          : await this.deliveries.findOne({ _id: after }, { projection: { created_at: 1, n: 1 } });
      if (last === null) return [];
      const of = { endpoint_id: endpointId };
      const older = last && {
        $or: [
          { ...of, created_at: { $lt: last.created_at } },
          { ...of, created_at: last.created_at, n: { $lt: last.n } },
          { ...of, created_at: last.created_at, n: last.n, _id: { $lt: last._id } },
        ],
      };
      return (
        await this.deliveries
          .find(older ?? of, { sort: { created_at: -1, n: -1, _id: -1 }, limit })
          .toArray()
      ).map(toDelivery);
    });
  }

  endpoints(): Promise<readonly EndpointId[]> {
    return asStoreErrors(
      async () => (await this.deliveries.distinct('endpoint_id')).sort() as readonly EndpointId[],
    );
  }

  counts(endpoint?: EndpointId): Promise<Readonly<Record<DeliveryStatus, number>>> {
    return asStoreErrors(async () => {
      const count = async (status: DeliveryStatus) =>
        [
          status,
          await this.deliveries.countDocuments(
            { status, ...(endpoint !== undefined && { endpoint_id: endpoint }) },
            { hint: 'counted' },
          ),
        ] as const;
      return Object.fromEntries(await Promise.all(statuses.map(count))) as Record<
        DeliveryStatus,
        number
      >;
    });
  }

  expire(before: string, limit: number): Promise<number> {
    return asStoreErrors(async () => {
      const ended = await this.deliveries
        .find(
          { finished_at: { $lt: before } },
          { sort: { finished_at: 1 }, limit, projection: { _id: 1 } },
        )
        .toArray();
      return (
        await this.deliveries.deleteMany({
          _id: { $in: ended.map(({ _id }) => _id) },
          finished_at: { $lt: before },
        })
      ).deletedCount;
    });
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

/** What a delivery has after an attempt: when it is due again, or when and why it ended. */
const endOf = (finishedAt: string | null, next: AttemptResult['next']) => {
  if (next.status === 'due')
    return { due_at: next.dueAt, ...(finishedAt !== null && { waits_since: finishedAt }) };
  return {
    ...(finishedAt !== null && { finished_at: finishedAt }),
    ...(next.status !== 'succeeded' && { reason: next.reason }),
  };
};
