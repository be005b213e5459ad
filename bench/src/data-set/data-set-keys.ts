import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { openKeysOfLog } from '@refledger/application';
import type { AffiliateHashes, AffiliateId, AffiliateValues } from '@refledger/contracts';
import { firstAccountId } from '@refledger/domain';
import { dataDirectory, embeddedUrls } from '@refledger/engines';
import type { EventLog } from '@refledger/event-log';
import { emailHashOf, externalIdHashOf, Keyring, sealValues } from '@refledger/personal-data';
import {
  newWrappedAccountKeys,
  newWrappedKey,
  openAccountKeys,
  openKey,
  openSecretBox,
  type AccountKeys,
  type PersonalKey,
} from '@refledger/sealing';

/** Seals the personal values of the affiliates of a data set. */
export interface DataSetKeys {
  seal(id: AffiliateId, values: AffiliateValues): string;
  hashesOf(values: Pick<AffiliateValues, 'email' | 'external_id'>): AffiliateHashes;
}

/** Keys that nothing stores, for a log on which no service is started. */
export const passingKeys = (): DataSetKeys => {
  const box = openSecretBox([randomBytes(32)]);
  const account = openAccountKeys(box, firstAccountId, newWrappedAccountKeys(box, firstAccountId));
  return keysOf(account, (id) => openKey(box, id, newWrappedKey(box, id)));
};

/**
 * Makes the keys of these affiliates in a directory with a new log, as a service that starts there
 * needs them.
 */
export const storedKeys = async (
  directory: string,
  log: EventLog,
  affiliates: readonly AffiliateId[],
): Promise<DataSetKeys> => {
  const box = openSecretBox([await secretsKeyIn(directory)]);
  const store = await openKeysOfLog(log, {
    url: embeddedUrls.KEY_STORE_URL,
    dataDir: directory,
  });
  try {
    const keyring = new Keyring(store, box);
    await keyring.createForAccount(firstAccountId, at);
    const keys = new Map<AffiliateId, PersonalKey>();
    const newKey = async (id: AffiliateId): Promise<void> => {
      const key = newWrappedKey(box, id);
      await store.put(id, { accountId: firstAccountId, key, claim: null, at });
      keys.set(id, openKey(box, id, key));
    };
    await Promise.all(affiliates.map(newKey));
    return keysOf(await keyring.ofAccount(firstAccountId), (id) => keyIn(keys, id));
  } finally {
    await store.close();
  }
};

/** The SECRETS_KEY of a directory, which gets one if it has none. */
export const secretsKeyIn = async (directory: string): Promise<Buffer> => {
  const file = dataDirectory(directory).secretsKey;
  if (!existsSync(file))
    await writeFile(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  return Buffer.from(await readFile(file, 'utf8'), 'base64');
};

const at = '2025-01-01T00:00:00.000Z';

const keysOf = (account: AccountKeys, keyOf: (id: AffiliateId) => PersonalKey): DataSetKeys => ({
  seal: (id, values) => sealValues(keyOf(id), values),
  hashesOf: ({ email, external_id }) => ({
    email: emailHashOf(account, email),
    external_id: external_id === null ? null : externalIdHashOf(account, external_id),
  }),
});

const keyIn = (keys: ReadonlyMap<AffiliateId, PersonalKey>, id: AffiliateId): PersonalKey => {
  const key = keys.get(id);
  if (key === undefined) throw new TypeError(`affiliate ${id} has no key`);
  return key;
};
