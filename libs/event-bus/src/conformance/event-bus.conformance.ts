/// <reference types="jest" />
import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, newId, type AffiliateRecord, type ConversionRecord, type EventId } from '@refledger/contracts';
import { UnreadableEvent, type EventLog } from '@refledger/event-log';
import { PlaceNotFound, type BusBatch, type BusPlace, type ConsumeOptions, type EventBus, type PublishedRecord } from '../event-bus.js';
import { Storyteller, accountId } from './sample-events.js';

/** One bus for the suite: what is appended to `log` comes out of `bus`. */
export interface EventBusFixture {
  readonly log: EventLog;
  readonly bus: EventBus;
  destroy(): Promise<void>;
}

/** Until the probe no longer throws, at most half a minute. */
const eventually = async <T>(probe: () => Promise<T>): Promise<T> => {
  for (let tries = 0; ; tries++) {
    try {
      return await probe();
    } catch (error) {
      if (tries === 600) throw error;
      await pause(50);
    }
  }
};

/** Holds an adapter to the port. */
export const eventBusConformance = (name: string, factory: () => Promise<EventBusFixture>): void =>
  describe(`${name}: event bus`, () => {
    let fixture: EventBusFixture;
    let story: Storyteller;
    let stop: AbortController;
    beforeEach(async () => {
      fixture = await factory();
      story = new Storyteller(fixture.log);
      stop = new AbortController();
    });
    afterEach(async () => {
      stop.abort();
      await fixture.bus.close();
      await fixture.destroy();
    });

    const consume = (options: Partial<ConsumeOptions> = {}): AsyncIterable<BusBatch> => fixture.bus.consume({ placeOf: () => Promise.resolve(undefined), signal: stop.signal, ...options });

    /** Consumes until `enough` records have come (or `until` says so), and answers them with the batches' places. */
    const collect = async (enough: number, options: Partial<ConsumeOptions> = {}): Promise<{ records: PublishedRecord[]; places: Map<string, BusPlace> }> => {
      const records: PublishedRecord[] = [];
      const places = new Map<string, BusPlace>();
      for await (const batch of consume(options)) {
        records.push(...batch.records);
        places.set(batch.place.partition, batch.place);
        if (records.length >= enough) break;
      }
      return { records, places };
    };

    describe('records', () => {
      it('are as of exactly their event, however quickly others followed', async () => {
        const [affiliate, conversion] = [newId('affiliate'), newId('conversion')];
        await story.createAffiliate(affiliate, 'first');
        await story.createConversion(conversion, affiliate, 250);
        await story.renameAffiliate(affiliate, 'second');
        await story.approveConversion(conversion, affiliate);
        await story.renameAffiliate(affiliate, 'third');
        const { records } = await collect(5);
        const of = (id: string) => records.filter(({ record }) => record.id === id);
        expect(of(affiliate).map(({ type, revision, record }) => [type, revision, record.revision, (record as AffiliateRecord).name])).toEqual([
          ['affiliate.created', 0, 0, 'first'],
          ['affiliate.updated', 1, 1, 'second'],
          ['affiliate.updated', 2, 2, 'third'],
        ]);
        expect(of(conversion).map(({ type, record }) => [type, record.status, (record as ConversionRecord).sale_amount])).toEqual([
          ['conversion.created', 'pending', 250],
          ['conversion.approved', 'approved', 250],
        ]);
        expect(of(conversion)[1]?.record.approved_at).toBe(of(conversion)[1]?.timestamp);
        expect(of(conversion)[0]?.record.approved_at).toBeNull();
        expect(records.every((record) => record.accountId === accountId && record.key === affiliate)).toBe(true);
      });

      it('of a deleted affiliate show it as it was, with the revision and the instant of the delete', async () => {
        const affiliate = newId('affiliate');
        await story.createAffiliate(affiliate, 'kept');
        await story.deleteAffiliate(affiliate);
        const { records } = await collect(2);
        expect(records[1]).toMatchObject({ type: 'affiliate.deleted', revision: 1, record: { name: 'kept', status: 'pending', revision: 1, updated_at: records[1]?.timestamp } });
      });

      it('are made for public kinds only', async () => {
        const affiliate = newId('affiliate');
        await story.registerProgram('one');
        await story.createAffiliate(affiliate);
        await story.registerProgram('two');
        await story.renameAffiliate(affiliate, 'second');
        const { records } = await collect(2);
        expect(records.map(({ type }) => type)).toEqual(['affiliate.created', 'affiliate.updated']);
      });

      it('carry the event’s own id and position', async () => {
        const affiliate = newId('affiliate');
        const id = await story.createAffiliate(affiliate);
        const { records } = await collect(1);
        expect(records[0]?.eventId).toBe(id);
        expect(await fixture.log.eventAt(records[0]!.position)).toMatchObject({ id });
      });
    });

    describe('order', () => {
      it('holds for each key, and nothing is lost or doubled while others append', async () => {
        const affiliates = Array.from({ length: 8 }, () => newId('affiliate'));
        const changes = 25;
        const writing = Promise.all(
          affiliates.map(async (affiliate) => {
            await story.createAffiliate(affiliate, '0');
            for (let n = 1; n < changes; n++) await story.renameAffiliate(affiliate, String(n));
          }),
        );
        const { records } = await collect(affiliates.length * changes, { batchSize: 7 });
        await writing;
        expect(new Set(records.map(({ eventId }) => eventId)).size).toBe(affiliates.length * changes);
        for (const affiliate of affiliates) {
          const seen = records.filter(({ key }) => key === affiliate);
          expect(seen.map(({ revision }) => revision)).toEqual(Array.from({ length: changes }, (_, n) => n));
          expect(seen.map(({ record }) => (record as AffiliateRecord).name)).toEqual(Array.from({ length: changes }, (_, n) => String(n)));
        }
      });

      it('goes on from a kept place: everything after it comes, the records as of their events', async () => {
        const affiliate = newId('affiliate');
        await story.createAffiliate(affiliate, '0');
        for (let n = 1; n <= 3; n++) await story.renameAffiliate(affiliate, String(n));
        const first = await collect(2, { batchSize: 1 });
        await story.renameAffiliate(affiliate, '4');
        const seen = new Set(first.records.map(({ eventId }) => eventId));
        const rest = await collect(3, { placeOf: (partition) => Promise.resolve(first.places.get(partition)) });
        expect([...first.records, ...rest.records.filter(({ eventId }) => !seen.has(eventId))].map(({ record }) => (record as AffiliateRecord).name)).toEqual(['0', '1', '2', '3', '4']);
      });

      it('has a place that moves over what is not public, too', async () => {
        await story.createAffiliate(newId('affiliate'));
        await story.registerProgram('one');
        const head = await fixture.log.head();
        let reached: string | undefined;
        for await (const { place } of consume()) {
          reached = place.offset;
          if (reached === head || !fixture.bus.capabilities.inLogOrder) break;
        }
        expect(reached).toEqual(fixture.bus.capabilities.inLogOrder ? head : expect.any(String));
      });
    });

    describe('places', () => {
      it('of another source are refused', async () => {
        await story.createAffiliate(newId('affiliate'));
        const { places } = await collect(1);
        const foreign = (partition: string) => Promise.resolve({ ...places.get(partition)!, source: 'another' });
        await expect(collect(1, { placeOf: foreign })).rejects.toThrow(PlaceNotFound);
      });

      it('where something else stands now are refused', async () => {
        await story.createAffiliate(newId('affiliate'));
        const { places } = await collect(1);
        const torn = (partition: string) => Promise.resolve({ ...places.get(partition)!, offset: '99999999', mark: 'gone' });
        await expect(collect(1, { placeOf: torn })).rejects.toThrow(PlaceNotFound);
        const replaced = (partition: string) => Promise.resolve({ ...places.get(partition)!, mark: 'another event' });
        await expect(collect(1, { placeOf: replaced })).rejects.toThrow(PlaceNotFound);
      });

      it('that are good are told before the first batch', async () => {
        await story.createAffiliate(newId('affiliate'));
        const told: string[] = [];
        for await (const { place } of consume({ onAssigned: (partition) => told.push(partition) })) {
          expect(told).toContain(place.partition);
          return;
        }
      });

      it('at a position have everything after it before them', async () => {
        const affiliate = newId('affiliate');
        for (const name of ['0', '1', '2']) await (name === '0' ? story.createAffiliate(affiliate, name) : story.renameAffiliate(affiliate, name));
        const all = await collect(3);
        const places = await fixture.bus.placesAt(all.records[0]!.position);
        const { records } = await collect(2, { placeOf: (partition) => Promise.resolve(places.find((place) => place.partition === partition)) });
        expect(records.map(({ record }) => (record as AffiliateRecord).name).slice(-2)).toEqual(['1', '2']);
      });
    });

    describe('the end', () => {
      it('is reached once every record up to its position has come', async () => {
        expect(await fixture.bus.end()).toEqual(fixture.bus.capabilities.inLogOrder ? expect.objectContaining({ position: await fixture.log.head() }) : undefined);
        const affiliates = Array.from({ length: 5 }, () => newId('affiliate'));
        for (const affiliate of affiliates) await story.createAffiliate(affiliate);
        const last = await fixture.log.head();
        await story.registerProgram('one');
        const head = await fixture.log.head();
        const end = await eventually(async () => {
          const now = await fixture.bus.end();
          expect(now).toMatchObject({ position: head });
          return now!;
        });
        expect(comparePositions(end.lastRecord!, last!)).toBeGreaterThanOrEqual(0);
        const reached = new Map<string, BusPlace>();
        let count = 0;
        for await (const { records, place } of consume()) {
          count += records.length;
          reached.set(place.partition, place);
          if (end.places.every(({ partition, offset }) => BigInt(reached.get(partition)?.offset ?? -1) >= BigInt(offset))) break;
        }
        expect(count).toBe(affiliates.length);
      });
    });

    describe('consuming', () => {
      it('hands over the next batch only when it is asked for', async () => {
        const affiliate = newId('affiliate');
        await story.createAffiliate(affiliate, '0');
        for (let n = 1; n < 20; n++) await story.renameAffiliate(affiliate, String(n));
        const batches = consume({ batchSize: 2 })[Symbol.asyncIterator]();
        const first = await batches.next();
        await story.renameAffiliate(affiliate, 'later');
        expect(first.done).toBe(false);
        const names: string[] = [];
        for (let batch = first; batch.done !== true; batch = await batches.next()) {
          expect(batch.value.records.length).toBeLessThanOrEqual(2);
          names.push(...batch.value.records.map(({ record }) => (record as AffiliateRecord).name));
          if (names.length === 21) break;
        }
        expect(names.at(-1)).toBe('later');
        await batches.return?.();
      });

      it('ends without an error when it is aborted, also while it waits', async () => {
        await story.createAffiliate(newId('affiliate'));
        let batches = 0;
        for await (const { records } of consume()) {
          batches += records.length;
          // a batch may bring no record yet: the event that begins the log is one by itself
          if (batches === 1) setImmediate(() => stop.abort());
        }
        expect(batches).toBe(1);
      });

      it('stops before an event that can’t be read, hands over what stands before it, and goes past it when it is skipped', async () => {
        const [good, broken] = [newId('affiliate'), newId('affiliate')];
        await story.createAffiliate(broken, '0');
        const poison: EventId = await story.breakAffiliate(broken);
        await story.renameAffiliate(broken, '2');
        await story.createAffiliate(good, 'good');
        const seen: PublishedRecord[] = [];
        const reading = (async () => {
          for await (const { records } of consume()) seen.push(...records);
        })();
        await expect(reading).rejects.toThrow(UnreadableEvent);
        const of = (records: readonly PublishedRecord[], key: string) => records.filter((record) => record.key === key).map(({ revision, record }) => [revision, (record as AffiliateRecord).name]);
        expect(of(seen, broken)).toEqual([[0, '0']]);
        // one order over all keys is there only where the log's is
        if (fixture.bus.capabilities.inLogOrder) expect(of(seen, good)).toEqual([]);
        const { records } = await collect(3, { isSkipped: (id) => id === poison });
        expect(of(records, broken)).toEqual([[0, '0'], [2, '2']]);
        expect(of(records, good)).toEqual([[0, 'good']]);
      });
    });
  });
