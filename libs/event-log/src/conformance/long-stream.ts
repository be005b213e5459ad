/// <reference types="jest" />
import { eventsOf, fill, newStream, type LogHandles } from './under-test.js';

/** Must come last: every later read of the whole log reads these events too. */
export const readingLongStreams = (handles: () => LogHandles): void => {
  describe('a long stream', () => {
    it('reads a stream of 100,000 events in order, in batches', async () => {
      const { log } = handles();
      const stream = newStream();
      await fill(log, stream, 100_000);
      let next = 0;
      let batches = 0;
      for await (const batch of log.readStream(stream)) {
        batches += 1;
        for (const { revision, data } of batch) {
          if (revision !== next || (data as { n: number }).n !== next)
            throw new Error(`expected revision ${next}, but got ${revision}`);
          next += 1;
        }
      }
      expect(next).toBe(100_000);
      expect(batches).toBeGreaterThan(10);
      expect(
        (await eventsOf(log.readStream(stream, { from: 99_998 }))).map(({ revision }) => revision),
      ).toEqual([99_998, 99_999]);
    });
  });
};
