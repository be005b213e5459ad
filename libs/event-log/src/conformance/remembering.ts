/// <reference types="jest" />
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { ConversionEvent, StreamName } from '@refledger/contracts';
import type { Decider } from '@refledger/domain';
import { encodeEvent } from '../codec.js';
import type { EventLog, NewEvent, ReadStreamOptions } from '../event-log.js';
import { isEventLogError } from '../event-log-error.js';
import { AggregateCache } from '../aggregate-cache.js';
import { eventsOf, newStream, type Handles } from './under-test.js';

/** Its state is the last event's amount. */
const last: Decider<never, number, ConversionEvent> = {
  initial: 0,
  decide: () => [],
  evolve: (_state, event) => event.data.after.sale_amount,
};

const eventWith = (amount: number): NewEvent =>
  encodeEvent(
    {
      type: 'conversion.created',
      data: {
        conversion_id: 'conv_a',
        affiliate_id: 'aff_a',
        program_id: 'prog_a',
        sale_currency: 'USD',
        external_transaction_id: null,
        after: {
          status: 'pending',
          sale_amount: amount,
          commission_amount: 0,
          reason: null,
          metadata: {},
        },
      },
    },
    randomUUID(),
    {
      account_id: null,
      actor: 'conformance',
      request_id: 'r',
      recorded_at: '2026-01-31T09:30:00.000Z',
    },
  );

/** Wraps the log and counts the events read from its streams. */
const countingReads = (
  log: EventLog,
): { readonly counted: EventLog; readonly read: () => number } => {
  let count = 0;
  const readStream: EventLog['readStream'] = async function* (...of) {
    for await (const batch of log.readStream(...of)) {
      count += batch.length;
      yield batch;
    }
  };
  return {
    counted: Object.assign(Object.create(log) as EventLog, { readStream }),
    read: () => count,
  };
};

const steps = fc.array(
  fc.record({
    stream: fc.nat(2),
    append: fc.boolean(),
    offset: fc.constantFrom(0, 0, 0, -1, 1),
    other: fc.boolean(),
    together: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

/**
 * Cached streams equal what reading them would give, on a log with `versions` and on one without.
 */
export const remembering = (handles: () => Handles): void => {
  describe('streams and their versions', () => {
    it('let a stream be remembered, that is never older than an answered append of any handle', async () => {
      const { log, another } = handles();
      const other = await another();
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const remembered = new AggregateCache(log);
          const streams = [newStream(), newStream(), newStream()];
          const answered = streams.map(() => -1);
          const underWay: Promise<void>[] = [];
          const append = async (by: EventLog, index: number, offset: number): Promise<void> => {
            const revision = answered[index]! + 1 + offset;
            try {
              const appended = await by.append(
                streams[index]!,
                [eventWith(Math.max(revision, 0))],
                revision <= 0 ? 'no stream' : revision - 1,
              );
              answered[index] = Math.max(answered[index]!, appended.revision);
            } catch (error) {
              if (!isEventLogError(error, 'wrong_revision')) throw error;
            }
          };
          const load = async (index: number): Promise<void> => {
            const due = answered[index]!;
            const { state, revision = -1 } = await remembered.load(last, streams[index]!);
            expect(revision).toBeGreaterThanOrEqual(due);
            if (revision >= 0) expect(state).toBe(revision);
          };
          for (const { stream, append: isAppend, offset, other: byOther, together } of all) {
            const step = isAppend ? append(byOther ? other : log, stream, offset) : load(stream);
            underWay.push(step);
            if (!together) await Promise.all(underWay.splice(0));
          }
          await Promise.all(underWay);
          for (const [index, stream] of streams.entries()) {
            await load(index);
            expect((await remembered.load(last, stream)).revision ?? -1).toBe(
              (await eventsOf(log.readStream(stream))).length - 1,
            );
          }
        }),
        { numRuns: 60 },
      );
    });

    it('let a stream that has changed be read on from its last known event', async () => {
      const { log, another } = handles();
      const stream = newStream();
      await log.append(stream, [0, 1, 2, 3, 4].map(eventWith), 'no stream');
      const { counted, read } = countingReads(log);
      const remembered = new AggregateCache(counted);
      expect(await remembered.load(last, stream)).toMatchObject({ state: 4, revision: 4 });
      await log.append(stream, [eventWith(5)], 4);
      await (await another()).append(stream, [eventWith(6), eventWith(7)], 5);

      expect(await remembered.load(last, stream)).toMatchObject({ state: 7, revision: 7 });
      expect(read()).toBe(5 + 1 + 3);
    });

    it('let nothing of a stream be remembered that is not what it was', async () => {
      const { log } = handles();
      const [stream, shorter, other] = [newStream(), newStream(), newStream()];
      await log.append(stream, [0, 1, 2].map(eventWith), 'no stream');
      await log.append(shorter, [10, 11].map(eventWith), 'no stream');
      await log.append(other, [20, 21, 22].map(eventWith), 'no stream');
      let now: StreamName = stream;
      const remembered = new AggregateCache(
        Object.assign(Object.create(log) as EventLog, {
          versions: undefined,
          readStream: (_stream: StreamName, options: ReadStreamOptions) =>
            log.readStream(now, options),
        }),
      );
      expect(await remembered.load(last, stream)).toMatchObject({ state: 2, revision: 2 });

      for (const [is, state, revision] of [
        [other, 22, 2],
        [shorter, 11, 1],
        [newStream(), 0, undefined],
        [stream, 2, 2],
      ] as const) {
        now = is;
        expect(await remembered.load(last, stream)).toMatchObject({ state, revision });
      }
    });

    it('stay as they are while a stream does not change', async () => {
      const { log } = handles();
      const stream = newStream();
      await log.append(stream, [eventWith(0)], 'no stream');
      const version = log.versions?.of(stream);
      expect(await eventsOf(log.readStream(stream))).toHaveLength(1);
      await log.append(newStream(), [eventWith(0)], 'no stream');
      expect(log.versions?.of(stream)).toBe(version);
      await log.append(stream, [eventWith(1)], 0);
      if (version !== undefined) expect(log.versions?.of(stream)).not.toBe(version);
    });
  });
};
