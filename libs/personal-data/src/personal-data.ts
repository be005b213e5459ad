import type {
  AffiliateId,
  AffiliateRecord,
  AffiliateValues,
  OpenAffiliateRecord,
  PublicRecord,
  SealedAffiliateRecord,
  StoredRecord,
} from '@refledger/contracts';
import {
  erasedRecord,
  openAffiliate,
  openRecord,
  type AffiliateState,
  type OpenAffiliate,
} from '@refledger/domain';
import type { KeyReader, StoredKey } from '@refledger/key-store';
import type { PersonalKey, SecretBox } from '@refledger/sealing';
import { openedKey } from './opened-key.js';
import { unwrapped } from './unwrapped.js';

/**
 * Opens personal data. An open value or key lives as long as one request, page or batch. Every
 * method throws `unavailable` if the key store lacks a key, or if something does not open. Of an
 * erased affiliate nothing opens, which is no error.
 */
export class PersonalData {
  constructor(
    private readonly store: Pick<KeyReader, 'getMany'>,
    private readonly box: SecretBox,
  ) {}

  /**
   * Opens an affiliate for a decision on it. Takes no key if it does not exist yet or is erased.
   * Undefined if it was erased after this state: load it again.
   */
  async openAffiliate(
    state: AffiliateState,
  ): Promise<
    { readonly affiliate: OpenAffiliate; readonly key?: PersonalKey | undefined } | undefined
  > {
    if (state.kind === 'none' || state.kind === 'erased') return { affiliate: state };
    const { id } = state.record;
    const key = await this.getKey(id);
    return key && { affiliate: openAffiliate(state, (sealed) => valuesIn(id, key, sealed)), key };
  }

  /** Opens affiliates, with their keys in one call. Erased ones are shown without values. */
  async openAffiliates(
    records: readonly SealedAffiliateRecord[],
  ): Promise<readonly AffiliateRecord[]> {
    const open = await this.opener(records);
    return records.map((record) => open(record) ?? erasedRecord(record));
  }

  /** Opens affiliates, with their keys in one call; undefined for erased ones. */
  async openUnlessErased(
    records: readonly SealedAffiliateRecord[],
  ): Promise<readonly (OpenAffiliateRecord | undefined)[]> {
    const open = await this.opener(records);
    return records.map(open);
  }

  /** Opens sealed texts of one affiliate. Undefined if it is erased. */
  async openValues(
    id: AffiliateId,
    sealed: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, AffiliateValues> | undefined> {
    if (sealed.size === 0) return new Map();
    const key = await this.getKey(id);
    return key && new Map([...sealed].map((text) => [text, valuesIn(id, key, text)]));
  }

  /** Opens those of these records that have personal values, like `openAffiliates`. */
  async openRecords(records: readonly StoredRecord[]): Promise<readonly PublicRecord[]> {
    const open = await this.opener(records.filter(isAffiliate));
    return records.map((record) =>
      isAffiliate(record) ? (open(record) ?? erasedRecord(record)) : record,
    );
  }

  /** Returns the function that opens each of these records, unless it is erased. */
  private async opener(
    records: readonly SealedAffiliateRecord[],
  ): Promise<(record: SealedAffiliateRecord) => OpenAffiliateRecord | undefined> {
    const ids = new Set(records.flatMap(({ id, sealed }) => (sealed === null ? [] : id)));
    const stored =
      ids.size === 0 ? new Map<AffiliateId, StoredKey>() : await this.store.getMany([...ids]);
    return (record) => {
      const { id, sealed } = record;
      if (sealed === null) return undefined;
      const key = openedKey(this.box, id, stored.get(id));
      return key && openRecord(record, valuesIn(id, key, sealed));
    };
  }

  /** Whether the key was destroyed. Takes no key, so that a missing one is no error. */
  async isErased(id: AffiliateId): Promise<boolean> {
    return (await this.store.getMany([id])).get(id)?.kind === 'erased';
  }

  private async getKey(id: AffiliateId): Promise<PersonalKey | undefined> {
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
