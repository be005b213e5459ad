/// <reference types="jest" />
import { newId, type OpenAffiliateRecord } from '@refledger/contracts';
import type { BusUnderTest } from './under-test.js';

/** Tests the order of records, and where reading continues. */
export const order = (at: BusUnderTest): void =>
  describe('order', () => {
    it('holds per key, and nothing is lost or duplicated while others append', async () => {
      const affiliates = Array.from({ length: 8 }, () => newId('affiliate'));
      const changes = 25;
      const writing = Promise.all(
        affiliates.map(async (affiliate) => {
          await at.writer.createAffiliate(affiliate, '0');
          for (let n = 1; n < changes; n++) await at.writer.renameAffiliate(affiliate, String(n));
        }),
      );
      const { records } = await at.collect(affiliates.length * changes, { batchSize: 7 });
      await writing;
      expect(new Set(records.map(({ eventId }) => eventId)).size).toBe(affiliates.length * changes);
      for (const affiliate of affiliates) {
        const seen = records.filter(({ key }) => key === affiliate);
        expect(seen.map(({ revision }) => revision)).toEqual(
          Array.from({ length: changes }, (_, n) => n),
        );
        expect(seen.map(({ record }) => (record as OpenAffiliateRecord).name)).toEqual(
          Array.from({ length: changes }, (_, n) => String(n)),
        );
      }
    });

    it('continues from a stored offset with everything after it, each record as of its event', async () => {
      const affiliate = newId('affiliate');
      await at.writer.createAffiliate(affiliate, '0');
      for (let n = 1; n <= 3; n++) await at.writer.renameAffiliate(affiliate, String(n));
      const first = await at.collect(2, { batchSize: 1 });
      await at.writer.renameAffiliate(affiliate, '4');
      const seen = new Set(first.records.map(({ eventId }) => eventId));
      const rest = await at.collect(3, {
        offsetOf: (partition) => Promise.resolve(first.offsets.get(partition)),
      });
      expect(
        [...first.records, ...rest.records.filter(({ eventId }) => !seen.has(eventId))].map(
          ({ record }) => (record as OpenAffiliateRecord).name,
        ),
      ).toEqual(['0', '1', '2', '3', '4']);
    });

    it('has offsets that also advance past private events', async () => {
      await at.writer.createAffiliate(newId('affiliate'));
      await at.writer.createAccount('one');
      const head = await at.fixture.log.head();
      let reached: string | undefined;
      for await (const { offset } of at.consume()) {
        reached = offset.offset;
        if (reached === head || !at.fixture.bus.capabilities.inLogOrder) break;
      }
      expect(reached).toEqual(at.fixture.bus.capabilities.inLogOrder ? head : expect.any(String));
    });
  });
