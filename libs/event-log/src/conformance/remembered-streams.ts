/// <reference types="jest" />
import { randomUUID } from 'node:crypto';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { noCommission, type ConversionEvent, type StreamName } from '@refledger/contracts';
import type { Decider } from '@refledger/domain';
import { encodeEvent } from '../codec.js';
import type { EventLog, NewEvent } from '../event-log.js';
import { isEventLogError } from '../event-log-error.js';
import type { LoadedStream } from '../load-stream.js';
import { eventsOf, newStream, type LogHandles } from './under-test.js';

/** Loads streams of a log with the decider `last`, some of them from memory. */
type ReaderOf = (log: EventLog) => (stream: StreamName) => Promise<LoadedStream<number>>;

/** A decider whose state is the last event's amount. */
export const last: Decider<never, number, ConversionEvent> = {
  initial: 0,
  decide: () => [],
  evolve: (_state, event) => event.data.after.sale_amount,
};

export const eventWith = (amount: number): NewEvent =>
  encodeEvent(
    {
      type: 'conversion.created',
      data: {
        conversion_id: 'conv_a',
        affiliate_id: 'aff_a',
        program_id: 'prog_a',
        sale_currency: 'USD',
        occurred_at: '2026-01-31T09:30:00.000Z',
        payable_on: '2026-01-31',
        basis: { reported_occurred_at: null, terms: null, first_occurred_at: null },
        after: {
          status: 'pending',
          sale_amount: amount,
          refunded_amount: 0,
          commission_amount: 0,
          commission: noCommission,
          reason: null,
          metadata: {},
          payout_id: null,
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

/** Expects a reader's result never to be older than an acknowledged append by any handle. */
export const expectNeverOlder = async (
  { log, another }: LogHandles,
  readerOf: ReaderOf,
): Promise<void> => {
  const other = await another();
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const load = readerOf(log);
      const streams = [newStream(), newStream(), newStream()];
      const acknowledged = streams.map(() => -1);
      const inProgress: Promise<void>[] = [];
      const append = async (by: EventLog, index: number, offset: number): Promise<void> => {
        const revision = present(acknowledged[index]) + 1 + offset;
        try {
          const appended = await by.append(
            present(streams[index]),
            [eventWith(Math.max(revision, 0))],
            revision <= 0 ? 'no stream' : revision - 1,
          );
          acknowledged[index] = Math.max(present(acknowledged[index]), appended.revision);
        } catch (error) {
          if (!isEventLogError(error, 'wrong_revision')) throw error;
        }
      };
      const check = async (index: number): Promise<void> => {
        const due = present(acknowledged[index]);
        const { state, revision = -1 } = await load(present(streams[index]));
        expect(revision).toBeGreaterThanOrEqual(due);
        if (revision >= 0) expect(state).toBe(revision);
      };
      for (const { stream, append: isAppend, offset, other: byOther, together } of all) {
        const step = isAppend ? append(byOther ? other : log, stream, offset) : check(stream);
        inProgress.push(step);
        if (!together) await Promise.all(inProgress.splice(0));
      }
      await Promise.all(inProgress);
      for (const [index, stream] of streams.entries()) {
        await check(index);
        expect((await load(stream)).revision ?? -1).toBe(
          (await eventsOf(log.readStream(stream))).length - 1,
        );
      }
    }),
    { numRuns: 60 },
  );
};

/** Expects a reader to read a changed stream only from its last known event on. */
export const expectContinuedReading = async (
  { log, another }: LogHandles,
  readerOf: ReaderOf,
): Promise<void> => {
  const stream = newStream();
  await log.append(stream, [0, 1, 2, 3, 4].map(eventWith), 'no stream');
  const { counted, read } = countingReads(log);
  const load = readerOf(counted);
  expect(await load(stream)).toMatchObject({ state: 4, revision: 4 });
  await log.append(stream, [eventWith(5)], 4);
  await (await another()).append(stream, [eventWith(6), eventWith(7)], 5);

  expect(await load(stream)).toMatchObject({ state: 7, revision: 7 });
  expect(read()).toBe(5 + 1 + 3);
};
