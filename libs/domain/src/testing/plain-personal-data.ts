// Test double of `PersonalData`: it opens what `affiliateEvents` sealed, and has no keys.
import type {
  AffiliateRecord,
  AffiliateValues,
  PublicRecord,
  SealedAffiliateRecord,
  StoredRecord,
} from '@refledger/contracts';
import { plainAffiliate } from './affiliate-events.js';

export const plainPersonalData = {
  openRecords: (records: readonly StoredRecord[]): Promise<readonly PublicRecord[]> =>
    Promise.resolve(
      records.map((record) => (record.object === 'affiliate' ? plainAffiliate(record) : record)),
    ),
  openAffiliates: (
    records: readonly SealedAffiliateRecord[],
  ): Promise<readonly AffiliateRecord[]> => Promise.resolve(records.map(plainAffiliate)),
  openValues: (
    _id: string,
    sealed: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, AffiliateValues>> =>
    Promise.resolve(
      new Map([...sealed].map((text) => [text, JSON.parse(text) as AffiliateValues])),
    ),
};
