import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from '@refledger/event-log';
import type { BusBatch, Offset, ConsumeOptions, EventBus, PublishedRecord } from '../event-bus.js';
import { EventWriter } from './sample-events.js';

/** One bus for the suite: events appended to `log` arrive from `bus`. */
export interface EventBusFixture {
  readonly log: EventLog;
  readonly bus: EventBus;
  destroy(): Promise<void>;
}

/** The fixture of the running test, with shortcuts. */
export interface BusUnderTest {
  readonly fixture: EventBusFixture;
  /** Appends to the fixture's log. */
  readonly writer: EventWriter;
  /** Ends all consumption. */
  readonly stop: AbortController;
  consume(options?: Partial<ConsumeOptions>): AsyncIterable<BusBatch>;
  /** Consumes until `enough` records have arrived. Returns them with the latest offsets. */
  collect(
    enough: number,
    options?: Partial<ConsumeOptions>,
  ): Promise<{
    readonly records: readonly PublishedRecord[];
    readonly offsets: ReadonlyMap<string, Offset>;
  }>;
}

/** Prepares the shortcuts for a fixture. */
export const currentOf = (fixture: EventBusFixture): BusUnderTest => {
  const stop = new AbortController();
  const consume: BusUnderTest['consume'] = (options) =>
    fixture.bus.consume({
      offsetOf: () => Promise.resolve(undefined),
      signal: stop.signal,
      ...options,
    });
  return {
    fixture,
    stop,
    consume,
    writer: new EventWriter(fixture.log),
    collect: async (enough, options) => {
      const records: PublishedRecord[] = [];
      const offsets = new Map<string, Offset>();
      for await (const batch of consume(options)) {
        records.push(...batch.records);
        offsets.set(batch.offset.partition, batch.offset);
        if (records.length >= enough) break;
      }
      return { records, offsets };
    },
  };
};

/** Repeats the probe until it no longer throws, for at most half a minute. */
export const eventually = async <T>(probe: () => Promise<T>): Promise<T> => {
  for (let attempt = 0; ; attempt++) {
    try {
      return await probe();
    } catch (error) {
      if (attempt === 600) throw error;
      await sleep(50);
    }
  }
};
