/// <reference types="jest" />
import { count } from '@refledger/testing';
import { eventsOf, fill, newStream, type LogHandles } from './under-test.js';

/** Must come last: every later read of the whole log reads these events too. */
export const readingLongStreams = (handles: () => LogHandles): void => {
  describe('a long stream', () => {
    it('is read in order, in batches', async () => {
      const { log } = handles();
      const stream = newStream();
      const length = count(10_000, 100_000);
      await fill(log, stream, length);
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
      expect(next).toBe(length);
      expect(batches).toBeGreaterThan(10);
      expect(
        (await eventsOf(log.readStream(stream, { from: length - 2 }))).map(
          ({ revision }) => revision,
        ),
      ).toEqual([length - 2, length - 1]);
    });
  });
};
