/// <reference types="jest" />
import { newId, type OpenAffiliateRecord } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import { OffsetNotFound, type Offset } from '../event-bus.js';
import type { BusUnderTest } from './under-test.js';

/** Tests which offsets a bus accepts and which it refuses. */
export const offsets = (at: BusUnderTest): void =>
  describe('offsets', () => {
    /** Offsets of every partition: the one that was reached in any, with these changes. */
    const changedBy = async (changes: Partial<Offset>) => {
      const { offsets } = await at.collect(1);
      const [reached] = offsets.values();
      return (partition: string) => Promise.resolve({ ...present(reached), partition, ...changes });
    };

    it('from another source are refused', async () => {
      await at.writer.createAffiliate(newId('affiliate'));
      const offsetOf = await changedBy({ source: 'another' });
      await expect(at.collect(1, { offsetOf })).rejects.toThrow(OffsetNotFound);
    });

    it.each([{ offset: '99999999', mark: 'gone' }, { mark: 'another event' }])(
      'that now point at another record are rejected: %j',
      async (changes) => {
        await at.writer.createAffiliate(newId('affiliate'));
        const offsetOf = await changedBy(changes);
        await expect(at.collect(1, { offsetOf })).rejects.toThrow(OffsetNotFound);
      },
    );

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
      expect(records.map(({ record }) => (record as OpenAffiliateRecord).name).slice(-2)).toEqual([
        '1',
        '2',
      ]);
    });
  });
