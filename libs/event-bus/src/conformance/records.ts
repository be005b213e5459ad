/// <reference types="jest" />
import {
  affiliateSchema,
  newId,
  webhookEndpointSchema,
  type OpenAffiliateRecord,
} from '@refledger/contracts';
import { affiliateFields } from '@refledger/domain/testing';
import { present } from '@refledger/testing/present';
import { accountId } from './sample-events.js';
import type { BusUnderTest } from './under-test.js';

/** Tests which record is published for an event. */
export const records = (at: BusUnderTest): void =>
  describe('records', () => {
    it('are as of exactly their event, even if others follow quickly', async () => {
      const [affiliate, conversion] = [newId('affiliate'), newId('conversion')];
      await at.writer.createAffiliate(affiliate, 'first');
      await at.writer.createConversion(conversion, affiliate, 250);
      await at.writer.renameAffiliate(affiliate, 'second');
      await at.writer.approveConversion(conversion, affiliate);
      await at.writer.renameAffiliate(affiliate, 'third');
      const { records } = await at.collect(5);
      const recordsOf = (id: string) => records.filter(({ record }) => record.id === id);
      expect(
        recordsOf(affiliate).map(({ type, revision, record }) => [
          type,
          revision,
          (record as OpenAffiliateRecord).revision,
          (record as OpenAffiliateRecord).name,
        ]),
      ).toEqual([
        ['affiliate.created', 0, 0, 'first'],
        ['affiliate.updated', 1, 1, 'second'],
        ['affiliate.updated', 2, 2, 'third'],
      ]);
      const [first, second, ...more] = recordsOf(conversion);
      expect(first).toMatchObject({
        type: 'conversion.created',
        record: { status: 'pending', sale_amount: 250, approved_at: null },
      });
      expect(second).toMatchObject({
        type: 'conversion.approved',
        record: { status: 'approved', sale_amount: 250, approved_at: second?.timestamp },
      });
      expect(more).toEqual([]);
      expect(
        records.every((record) => record.accountId === accountId && record.key === affiliate),
      ).toBe(true);
    });

    it('of an affiliate have its personal values in the clear', async () => {
      const affiliate = newId('affiliate');
      await at.writer.createAffiliate(affiliate, 'first');
      await at.writer.renameAffiliate(affiliate, 'second');
      const { records } = await at.collect(2);
      const fields = { ...affiliateFields, email: 'a@example.com', status: 'pending' };
      expect(records).toMatchObject([
        { record: { ...fields, name: 'first' } },
        { record: { ...fields, name: 'second' } },
      ]);
      for (const { record } of records)
        expect(Object.keys(record)).toEqual(Object.keys(affiliateSchema.shape));
    });

    it('of a deleted affiliate show its last state, with the revision and the instant of the delete', async () => {
      const affiliate = newId('affiliate');
      await at.writer.createAffiliate(affiliate, 'kept');
      await at.writer.deleteAffiliate(affiliate);
      const { records } = await at.collect(2);
      expect(records[1]).toMatchObject({
        type: 'affiliate.deleted',
        revision: 1,
        record: { name: 'kept', status: 'pending', revision: 1, updated_at: records[1]?.timestamp },
      });
    });

    it('of an endpoint have neither its secret nor the query of its target', async () => {
      const [one, other] = [newId('endpoint'), newId('endpoint')];
      const target = 'https://shop.example/hooks?token=hidden';
      await at.writer.subscribeEndpoint(one, target);
      await at.writer.subscribeEndpoint(other, 'https://other.example/?token=hidden');
      await at.writer.pauseEndpoint(one, target);
      await at.writer.pauseEndpoint(other, 'https://other.example/?token=hidden');
      const { records } = await at.collect(2);
      expect(records).toMatchObject([
        {
          type: 'webhook.paused',
          key: accountId,
          revision: 2,
          record: {
            id: one,
            object: 'webhook_endpoint',
            target_url: 'https://shop.example/hooks',
            status: 'paused',
            created_at: '2026-01-01T00:00:00.000Z',
            updated_at: records[0]?.timestamp,
          },
        },
        {
          revision: 3,
          record: { id: other, target_url: 'https://other.example/', status: 'paused' },
        },
      ]);
      for (const { record } of records) {
        expect(Object.keys(record)).toEqual(Object.keys(webhookEndpointSchema.shape));
        expect(JSON.stringify(record)).not.toMatch(/hidden|sealed/);
      }
    });

    it('exist for public kinds only', async () => {
      const affiliate = newId('affiliate');
      await at.writer.createAccount('one');
      await at.writer.createAffiliate(affiliate);
      await at.writer.createAccount('two');
      await at.writer.renameAffiliate(affiliate, 'second');
      const { records } = await at.collect(2);
      expect(records.map(({ type }) => type)).toEqual(['affiliate.created', 'affiliate.updated']);
    });

    it('carry the event’s own id and position', async () => {
      const affiliate = newId('affiliate');
      const id = await at.writer.createAffiliate(affiliate);
      const { records } = await at.collect(1);
      expect(records[0]?.eventId).toBe(id);
      expect(await at.fixture.log.eventAt(present(records[0]).position)).toMatchObject({ id });
    });
  });
