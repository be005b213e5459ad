/// <reference types="jest" />
import { newId, type AffiliateRecord, type ConversionRecord } from '@refledger/contracts';
import { accountId } from './sample-events.js';
import type { Current } from './under-test.js';

/** Tests which record is published for an event. */
export const records = (at: Current): void =>
  describe('records', () => {
    it('are as of exactly their event, however quickly others followed', async () => {
      const [affiliate, conversion] = [newId('affiliate'), newId('conversion')];
      await at.story.createAffiliate(affiliate, 'first');
      await at.story.createConversion(conversion, affiliate, 250);
      await at.story.renameAffiliate(affiliate, 'second');
      await at.story.approveConversion(conversion, affiliate);
      await at.story.renameAffiliate(affiliate, 'third');
      const { records } = await at.collect(5);
      const of = (id: string) => records.filter(({ record }) => record.id === id);
      expect(
        of(affiliate).map(({ type, revision, record }) => [
          type,
          revision,
          record.revision,
          (record as AffiliateRecord).name,
        ]),
      ).toEqual([
        ['affiliate.created', 0, 0, 'first'],
        ['affiliate.updated', 1, 1, 'second'],
        ['affiliate.updated', 2, 2, 'third'],
      ]);
      expect(
        of(conversion).map(({ type, record }) => [
          type,
          record.status,
          (record as ConversionRecord).sale_amount,
        ]),
      ).toEqual([
        ['conversion.created', 'pending', 250],
        ['conversion.approved', 'approved', 250],
      ]);
      expect(of(conversion)[1]?.record.approved_at).toBe(of(conversion)[1]?.timestamp);
      expect(of(conversion)[0]?.record.approved_at).toBeNull();
      expect(
        records.every((record) => record.accountId === accountId && record.key === affiliate),
      ).toBe(true);
    });

    it('of a deleted affiliate show it as it was, with the revision and the instant of the delete', async () => {
      const affiliate = newId('affiliate');
      await at.story.createAffiliate(affiliate, 'kept');
      await at.story.deleteAffiliate(affiliate);
      const { records } = await at.collect(2);
      expect(records[1]).toMatchObject({
        type: 'affiliate.deleted',
        revision: 1,
        record: { name: 'kept', status: 'pending', revision: 1, updated_at: records[1]?.timestamp },
      });
    });

    it('are made for public kinds only', async () => {
      const affiliate = newId('affiliate');
      await at.story.registerProgram('one');
      await at.story.createAffiliate(affiliate);
      await at.story.registerProgram('two');
      await at.story.renameAffiliate(affiliate, 'second');
      const { records } = await at.collect(2);
      expect(records.map(({ type }) => type)).toEqual(['affiliate.created', 'affiliate.updated']);
    });

    it('carry the event’s own id and position', async () => {
      const affiliate = newId('affiliate');
      const id = await at.story.createAffiliate(affiliate);
      const { records } = await at.collect(1);
      expect(records[0]?.eventId).toBe(id);
      expect(await at.fixture.log.eventAt(records[0]!.position)).toMatchObject({ id });
    });
  });
