/// <reference types="jest" />
import { newId, type OpenAffiliateRecord, type EventId } from '@refledger/contracts';
import { UnreadableEvent } from '@refledger/event-log';
import type { PublishedRecord } from '../event-bus.js';
import type { BusUnderTest } from './under-test.js';

/** Tests how a consumer gets its batches. */
export const consuming = (at: BusUnderTest): void =>
  describe('consuming', () => {
    it('yields the next batch only on request', async () => {
      const affiliate = newId('affiliate');
      await at.writer.createAffiliate(affiliate, '0');
      for (let n = 1; n < 20; n++) await at.writer.renameAffiliate(affiliate, String(n));
      const batches = at.consume({ batchSize: 2 })[Symbol.asyncIterator]();
      const first = await batches.next();
      await at.writer.renameAffiliate(affiliate, 'later');
      expect(first.done).toBe(false);
      const names: string[] = [];
      for (let batch = first; batch.done !== true; batch = await batches.next()) {
        expect(batch.value.records.length).toBeLessThanOrEqual(2);
        names.push(
          ...batch.value.records.map(({ record }) => (record as OpenAffiliateRecord).name),
        );
        if (names.length === 21) break;
      }
      expect(names.at(-1)).toBe('later');
      await batches.return?.();
    });

    it('ends without an error when it is aborted, even while it waits', async () => {
      await at.writer.createAffiliate(newId('affiliate'));
      let batches = 0;
      for await (const { records } of at.consume()) {
        batches += records.length;
        // A batch may contain no record: the event that starts the log is a batch by itself.
        if (batches === 1) setImmediate(() => at.stop.abort());
      }
      expect(batches).toBe(1);
    });

    it('stops at an unreadable event after yielding everything before it, and continues when it is skipped', async () => {
      const [good, broken] = [newId('affiliate'), newId('affiliate')];
      await at.writer.createAffiliate(broken, '0');
      const poison: EventId = await at.writer.breakAffiliate(broken);
      await at.writer.renameAffiliate(broken, '2');
      await at.writer.createAffiliate(good, 'good');
      const seen: PublishedRecord[] = [];
      const reading = (async () => {
        for await (const { records } of at.consume()) seen.push(...records);
      })();
      await expect(reading).rejects.toThrow(UnreadableEvent);
      const revisionsOf = (records: readonly PublishedRecord[], key: string) =>
        records
          .filter((record) => record.key === key)
          .map(({ revision, record }) => [revision, (record as OpenAffiliateRecord).name]);
      expect(revisionsOf(seen, broken)).toEqual([[0, '0']]);
      // Only a bus in log order orders records across keys.
      if (at.fixture.bus.capabilities.inLogOrder) expect(revisionsOf(seen, good)).toEqual([]);
      const { records } = await at.collect(3, { isSkipped: (id) => id === poison });
      expect(revisionsOf(records, broken)).toEqual([
        [0, '0'],
        [2, '2'],
      ]);
      expect(revisionsOf(records, good)).toEqual([[0, 'good']]);
    });
  });
