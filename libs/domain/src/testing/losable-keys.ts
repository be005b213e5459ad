// Test double of `PersonalData` whose keys can be missing for a while.
import { DomainError, type PublicRecord, type StoredRecord } from '@refledger/contracts';
import { plainPersonalData } from './plain-personal-data.js';

/** Opens what `affiliateEvents` sealed, unless its keys are lost. */
export class LosableKeys {
  isLost = false;
  /** The number of records in each call. */
  readonly calls: number[] = [];

  openRecords(records: readonly StoredRecord[]): Promise<readonly PublicRecord[]> {
    this.calls.push(records.length);
    return this.isLost && records.some(({ object }) => object === 'affiliate')
      ? Promise.reject(
          Object.assign(
            new DomainError('unavailable', 'The key store has no key of an affiliate.'),
            { name: 'PersonalDataUnavailable' },
          ),
        )
      : plainPersonalData.openRecords(records);
  }
}
