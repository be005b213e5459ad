// Test double of `PersonalData`: it opens what `affiliateEvents` sealed, and has no keys.
import type {
  AffiliateRecord,
  AffiliateValues,
  PublicRecord,
  SealedAffiliateRecord,
  StoredRecord,
} from '@refledger/contracts';
import { erasedRecord } from '../affiliate/sealed-affiliate.js';
import { plainAffiliate } from './affiliate-events.js';

export const plainPersonalData = {
  openRecords: (records: readonly StoredRecord[]): Promise<readonly PublicRecord[]> =>
    Promise.resolve(
      records.map((record) => (record.object === 'affiliate' ? shownAffiliate(record) : record)),
    ),
  openAffiliates: (
    records: readonly SealedAffiliateRecord[],
  ): Promise<readonly AffiliateRecord[]> => Promise.resolve(records.map(shownAffiliate)),
  openValues: (
    _id: string,
    sealed: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, AffiliateValues>> =>
    Promise.resolve(
      new Map([...sealed].map((text) => [text, JSON.parse(text) as AffiliateValues])),
    ),
};

const shownAffiliate = (record: SealedAffiliateRecord): AffiliateRecord =>
  record.sealed === null ? erasedRecord(record) : plainAffiliate(record);
