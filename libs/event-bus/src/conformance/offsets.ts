/// <reference types="jest" />
import { newId, type AffiliateRecord } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import { OffsetNotFound } from '../event-bus.js';
import type { BusUnderTest } from './under-test.js';

/** Tests which offsets a bus accepts and which it refuses. */
export const offsets = (at: BusUnderTest): void =>
  describe('offsets', () => {
    it('from another source are refused', async () => {
      await at.writer.createAffiliate(newId('affiliate'));
      const { offsets } = await at.collect(1);
      const foreign = (partition: string) =>
        Promise.resolve({ ...present(offsets.get(partition)), source: 'another' });
      await expect(at.collect(1, { offsetOf: foreign })).rejects.toThrow(OffsetNotFound);
    });

    it('that now point at another record are rejected', async () => {
      await at.writer.createAffiliate(newId('affiliate'));
      const { offsets } = await at.collect(1);
      const torn = (partition: string) =>
        Promise.resolve({ ...present(offsets.get(partition)), offset: '99999999', mark: 'gone' });
      await expect(at.collect(1, { offsetOf: torn })).rejects.toThrow(OffsetNotFound);
      const replaced = (partition: string) =>
        Promise.resolve({ ...present(offsets.get(partition)), mark: 'another event' });
      await expect(at.collect(1, { offsetOf: replaced })).rejects.toThrow(OffsetNotFound);
    });

    it('that are valid are reported before the first batch', async () => {
      await at.writer.createAffiliate(newId('affiliate'));
      const assigned: string[] = [];
      for await (const { offset } of at.consume({
        onAssigned: (partition) => assigned.push(partition),
      })) {
        expect(assigned).toContain(offset.partition);
        return;
      }
    });

    it('for a position precede every later record', async () => {
      const affiliate = newId('affiliate');
      for (const name of ['0', '1', '2'])
        await (name === '0'
          ? at.writer.createAffiliate(affiliate, name)
          : at.writer.renameAffiliate(affiliate, name));
      const all = await at.collect(3);
      const offsets = await at.fixture.bus.offsetsAt(present(all.records[0]).position);
      const { records } = await at.collect(2, {
        offsetOf: (partition) =>
          Promise.resolve(offsets.find((offset) => offset.partition === partition)),
      });
      expect(records.map(({ record }) => (record as AffiliateRecord).name).slice(-2)).toEqual([
        '1',
        '2',
      ]);
    });
  });
