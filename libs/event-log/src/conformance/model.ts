/// <reference types="jest" />
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import type { StreamName } from '@refledger/contracts';
import type { EventLog, ExpectedRevision } from '../event-log.js';
import { isEventLogError } from '../event-log-error.js';
import { batchesOf, eventsOf, newEvent, newStream, type LogHandles } from './under-test.js';

interface Attempt {
  readonly stream: number;
  /** The difference between the expected revision and the stream's revision at that time. */
  readonly offset: number;
  readonly events: number;
  /** The index of an earlier append to repeat instead, if there is one. */
  readonly repeats: number | undefined;
}

/** A minimal model of a log: event ids in log order, and by stream. */
class ModelLog {
  readonly all: string[] = [];
  readonly streams = new Map<StreamName, string[]>();

  append(
    stream: StreamName,
    ids: readonly string[],
    expected: ExpectedRevision,
  ): { revision: number } | { actual: ExpectedRevision } {
    const there = this.streams.get(stream) ?? [];
    const at = expected === 'no stream' ? 0 : expected + 1;
    if (there.length === at) {
      this.streams.set(stream, [...there, ...ids]);
      this.all.push(...ids);
    } else if (ids.some((id, n) => there[at + n] !== id))
      return { actual: there.length === 0 ? 'no stream' : there.length - 1 };
    return { revision: at + ids.length - 1 };
  }
}

const attempts = fc.array(
  fc.record<Attempt>({
    stream: fc.nat(2),
    offset: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: -3, max: 1 })),
    events: fc.integer({ min: 1, max: 3 }),
    repeats: fc.option(fc.nat(9), { nil: undefined, freq: 3 }),
  }),
  { minLength: 1, maxLength: 25 },
);

/**
 * A law: after appends in any concurrent groups, the log equals a simple model of the same appends
 * in the order in which they were made.
 */
export const modeling = (handles: () => LogHandles): void => {
  it('equals a simple model after any interleaving of appends', async () => {
    const { log } = handles();
    await fc.assert(
      fc.asyncProperty(
        attempts,
        fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1 }),
        async (all, groups) => {
          const model = new ModelLog();
          const head = await log.head();
          const names = [newStream(), newStream(), newStream()];
          const made: { stream: StreamName; ids: string[]; expected: ExpectedRevision }[] = [];
          for (let from = 0, group = 0; from < all.length; group += 1) {
            const size = present(groups[group % groups.length]);
            const together = all.slice(from, from + size).map((attempt) => {
              const stream = present(names[attempt.stream]);
              const revision = (model.streams.get(stream)?.length ?? 0) - 1 + attempt.offset;
              const fresh = {
                stream,
                ids: Array.from({ length: attempt.events }, () => newEvent().id),
                expected: revision < 0 ? ('no stream' as const) : revision,
              };
              const append =
                (attempt.repeats === undefined ? undefined : made[attempt.repeats]) ?? fresh;
              made.push(append);
              return { append, expected: model.append(append.stream, append.ids, append.expected) };
            });
            from += size;
            const outcomes = await Promise.all(
              together.map(({ append }) => outcomeOf(log, append)),
            );
            expect(outcomes).toEqual(together.map(({ expected }) => expected));
          }
          expect(
            (await batchesOf(log.readAll({ after: head }))).flatMap(({ events }) =>
              events.map(({ id }) => id),
            ),
          ).toEqual(model.all);
          for (const stream of names)
            expect((await eventsOf(log.readStream(stream))).map(({ id }) => id)).toEqual(
              model.streams.get(stream) ?? [],
            );
        },
      ),
      { numRuns: 60 },
    );
  });
};

const outcomeOf = async (
  log: EventLog,
  { stream, ids, expected }: { stream: StreamName; ids: string[]; expected: ExpectedRevision },
): Promise<{ revision: number } | { actual: ExpectedRevision }> => {
  try {
    return {
      revision: (
        await log.append(
          stream,
          ids.map((id) => newEvent({}, id)),
          expected,
        )
      ).revision,
    };
  } catch (error) {
    if (isEventLogError(error, 'wrong_revision')) return { actual: error.fault.actual };
    throw error;
  }
};
