/// <reference types="jest" />
import { newId, type AffiliateRecord } from '@refledger/contracts';
import { PlaceNotFound } from '../event-bus.js';
import type { Current } from './under-test.js';

/** Which places are taken up, and which refused. */
export const places = (at: Current): void =>
  describe('places', () => {
    it('of another source are refused', async () => {
      await at.story.createAffiliate(newId('affiliate'));
      const { places } = await at.collect(1);
      const foreign = (partition: string) =>
        Promise.resolve({ ...places.get(partition)!, source: 'another' });
      await expect(at.collect(1, { placeOf: foreign })).rejects.toThrow(PlaceNotFound);
    });

    it('where something else stands now are refused', async () => {
      await at.story.createAffiliate(newId('affiliate'));
      const { places } = await at.collect(1);
      const torn = (partition: string) =>
        Promise.resolve({ ...places.get(partition)!, offset: '99999999', mark: 'gone' });
      await expect(at.collect(1, { placeOf: torn })).rejects.toThrow(PlaceNotFound);
      const replaced = (partition: string) =>
        Promise.resolve({ ...places.get(partition)!, mark: 'another event' });
      await expect(at.collect(1, { placeOf: replaced })).rejects.toThrow(PlaceNotFound);
    });

    it('that are good are told before the first batch', async () => {
      await at.story.createAffiliate(newId('affiliate'));
      const told: string[] = [];
      for await (const { place } of at.consume({
        onAssigned: (partition) => told.push(partition),
      })) {
        expect(told).toContain(place.partition);
        return;
      }
    });

    it('at a position have everything after it before them', async () => {
      const affiliate = newId('affiliate');
      for (const name of ['0', '1', '2'])
        await (name === '0'
          ? at.story.createAffiliate(affiliate, name)
          : at.story.renameAffiliate(affiliate, name));
      const all = await at.collect(3);
      const places = await at.fixture.bus.placesAt(all.records[0]!.position);
      const { records } = await at.collect(2, {
        placeOf: (partition) =>
          Promise.resolve(places.find((place) => place.partition === partition)),
      });
      expect(records.map(({ record }) => (record as AffiliateRecord).name).slice(-2)).toEqual([
        '1',
        '2',
      ]);
    });
  });
