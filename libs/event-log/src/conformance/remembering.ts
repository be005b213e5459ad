/// <reference types="jest" />
import type { StreamName } from '@refledger/contracts';
import type { EventLog } from '../event-log.js';
import { loadStream, continueReading, type FoldedStream } from '../load-stream.js';
import { eventWith, expectNeverOlder, expectContinuedReading, last } from './remembered-streams.js';
import { eventsOf, newStream, type LogHandles } from './under-test.js';

/** Reads streams, and answers from memory while a stream's version is the same. */
const rememberingReader = (
  log: EventLog,
): ((stream: StreamName) => Promise<FoldedStream<number>>) => {
  const known = new Map<
    StreamName,
    { version: bigint | undefined; folded: FoldedStream<number> }
  >();
  return async (stream) => {
    const before = known.get(stream);
    // ask before reading: a change during the read changes the version
    const version = log.versions?.versionOf(stream);
    if (before !== undefined && version !== undefined && before.version === version)
      return before.folded;
    const folded =
      (before && (await continueReading(log, last, stream, before.folded))) ??
      (await loadStream(log, last, stream));
    if (folded.revision !== undefined) known.set(stream, { version, folded });
    return folded;
  };
};

/**
 * Remembered streams equal what reading them would give, on a log with `versions` and on one
 * without.
 */
export const remembering = (handles: () => LogHandles): void => {
  describe('streams and their versions', () => {
    it('never let a cached stream be older than an acknowledged append by any handle', () =>
      expectNeverOlder(handles(), rememberingReader));

    it('let a reader continue a changed stream from its last known event', () =>
      expectContinuedReading(handles(), rememberingReader));

    it('never identify a state that the stream did not have', async () => {
      const { log } = handles();
      const [stream, shorter, other] = [newStream(), newStream(), newStream()];
      await log.append(stream, [0, 1, 2].map(eventWith), 'no stream');
      await log.append(shorter, [10, 11].map(eventWith), 'no stream');
      await log.append(other, [20, 21, 22].map(eventWith), 'no stream');
      const before = await loadStream(log, last, stream);
      expect(before).toMatchObject({ state: 2, revision: 2 });

      for (const changed of [other, shorter, newStream()])
        expect(await continueReading(log, last, changed, before)).toBeUndefined();
      expect(await continueReading(log, last, stream, before)).toEqual(before);
    });

    it('stay the same while a stream does not change', async () => {
      const { log } = handles();
      const stream = newStream();
      await log.append(stream, [eventWith(0)], 'no stream');
      const version = log.versions?.versionOf(stream);
      expect(await eventsOf(log.readStream(stream))).toHaveLength(1);
      await log.append(newStream(), [eventWith(0)], 'no stream');
      expect(log.versions?.versionOf(stream)).toBe(version);
      await log.append(stream, [eventWith(1)], 0);
      if (version !== undefined) expect(log.versions?.versionOf(stream)).not.toBe(version);
    });
  });
};
