import type {
  AffiliateId,
  AffiliateRecord,
  AffiliateValues,
  PublicRecord,
  SealedAffiliateRecord,
  StoredRecord,
} from '@refledger/contracts';
import {
  openAffiliate,
  openRecord,
  type AffiliateState,
  type OpenAffiliate,
} from '@refledger/domain';
import type { KeyOwner, KeyReader, StoredKey } from '@refledger/key-store';
import type { PersonalKey, SecretBox } from '@refledger/sealing';
import { openedKey } from './opened-key.js';
import { unwrapped } from './unwrapped.js';

/**
 * Opens personal data. An open value or key lives as long as one request, page or batch. Every
 * method throws `unavailable` if the key store lacks a key, or if something does not open.
 */
export class PersonalData {
  constructor(
    private readonly store: Pick<KeyReader, 'getMany'>,
    private readonly box: SecretBox,
  ) {}

  /** Opens an affiliate for a decision on it. One that does not exist yet has no key. */
  async openAffiliate(
    state: AffiliateState,
  ): Promise<{ readonly affiliate: OpenAffiliate; readonly key?: PersonalKey }> {
    if (state.kind === 'none') return { affiliate: state };
    const { id } = state.record;
    const key = await this.getKey(id);
    return { affiliate: openAffiliate(state, (sealed) => valuesIn(id, key, sealed)), key };
  }

  /** Opens affiliates, with their keys in one call. */
  async openAffiliates(
    records: readonly SealedAffiliateRecord[],
  ): Promise<readonly AffiliateRecord[]> {
    const open = await this.opener(records);
    return records.map(open);
  }

  /** Opens affiliates, with their keys in one call; undefined for erased ones. */
  async openUnlessErased(
    records: readonly SealedAffiliateRecord[],
  ): Promise<readonly (AffiliateRecord | undefined)[]> {
    const stored = await this.storedKeys(records);
    return records.map((record) =>
      stored.get(record.id)?.kind === 'erased' ? undefined : this.openWith(stored, record),
    );
  }

  /** Opens sealed texts of one affiliate. */
  async openValues(
    id: AffiliateId,
    sealed: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, AffiliateValues>> {
    if (sealed.size === 0) return new Map();
    const key = await this.getKey(id);
    return new Map([...sealed].map((text) => [text, valuesIn(id, key, text)]));
  }

  /** Opens those of these records that have personal values. */
  async openRecords(records: readonly StoredRecord[]): Promise<readonly PublicRecord[]> {
    const open = await this.opener(records.filter(isAffiliate));
    return records.map((record) => (isAffiliate(record) ? open(record) : record));
  }

  /** Returns the function that opens each of these records. */
  private async opener(
    records: readonly SealedAffiliateRecord[],
  ): Promise<(record: SealedAffiliateRecord) => AffiliateRecord> {
    const stored = await this.storedKeys(records);
    return (record) => this.openWith(stored, record);
  }

  private async storedKeys(
    records: readonly SealedAffiliateRecord[],
  ): Promise<ReadonlyMap<KeyOwner, StoredKey>> {
    const ids = new Set(records.map(({ id }) => id));
    return ids.size === 0 ? new Map() : this.store.getMany([...ids]);
  }

  private openWith(
    stored: ReadonlyMap<KeyOwner, StoredKey>,
    record: SealedAffiliateRecord,
  ): AffiliateRecord {
    const { id, sealed } = record;
    return openRecord(record, valuesIn(id, openedKey(this.box, id, stored.get(id)), sealed));
  }

  private async getKey(id: AffiliateId): Promise<PersonalKey> {
    return openedKey(this.box, id, (await this.store.getMany([id])).get(id));
  }
}

const isAffiliate = (record: StoredRecord): record is SealedAffiliateRecord =>
  record.object === 'affiliate';

/** Seals the personal values of the affiliate with this key. */
export const sealValues = (key: PersonalKey, values: AffiliateValues): string =>
  key.seal('values', JSON.stringify(values));

const valuesIn = (id: AffiliateId, key: PersonalKey, sealed: string): AffiliateValues =>
  // a decoding boundary: `sealValues` made the text
  JSON.parse(unwrapped(id, () => key.open('values', sealed))) as AffiliateValues;
