import { CommandHandler, recordedKeyStore } from '@refledger/application';
import { streamNamed, type AccountId, type AffiliateId } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { lostKey, type KeyOwner, type KeyReader, type StoredKey } from '@refledger/key-store';
import type { SecretBox } from '@refledger/sealing';
import { erasureInLog } from '../erasures/erasure-in-log.js';
import { isErased } from '../erasures/read-erasures.js';
import { isKey } from './copy-keys.js';

type Keys = Pick<KeyReader, 'id' | 'getMany' | 'scan'>;

/**
 * The reasons why the keys of a log cannot be copied with it, each with its remedy; empty when they
 * can. `keys` is undefined if the directory has no key store.
 */
export const findKeyBlockers = async (
  log: EventLog,
  keys: Keys | undefined,
): Promise<readonly string[]> => {
  const recorded = await recordedKeyStore(new CommandHandler(log));
  if (recorded !== undefined && recorded !== keys?.id)
    return [
      `the log names ${recorded} as the key store, but ${keys === undefined ? 'personal-keys.db is missing' : `personal-keys.db is ${keys.id}`}. ${restore}`,
    ];
  return [
    ...(await keyless(log, keys)),
    ...(keys === undefined ? [] : await unrecorded(log, keys)),
  ];
};

const restore =
  'Restore the personal-keys.db that belongs to this log: no other one opens its personal data.';

/** Affiliates and accounts of the log that were not erased and have no key. */
const keyless = async (log: EventLog, keys: Keys | undefined): Promise<readonly string[]> => {
  const missing: KeyOwner[] = [];
  for (const kind of ['account', 'affiliate'] as const) {
    const prefix = streamNamed(kind);
    for await (const { events } of log.readAll({ prefix })) {
      const owners = events
        .filter(({ revision }) => revision === 0)
        // the id is all that follows in the name
        .map(({ stream }) => stream.slice(prefix.length) as AccountId | AffiliateId);
      const stored = await keys?.getMany(owners);
      missing.push(...owners.filter((owner) => isMissing(stored?.get(owner))));
    }
  }
  if (missing.length === 0) return [];
  const [named, more] = [missing.slice(0, listed).join(', '), missing.length - listed];
  return [
    `personal-keys.db has no key of ${named}${more > 0 ? ` and ${more} more` : ''}. ${restore}`,
  ];
};

const isMissing = (stored: StoredKey | undefined): boolean =>
  stored === undefined || (stored.kind === 'key' && stored.key === lostKey);

/** How many owners a reason names. */
const listed = 10;

/** Erasures that a restored log has lost, until the service records them again. */
const unrecorded = async (log: EventLog, keys: Keys): Promise<readonly string[]> => {
  for await (const rows of keys.scan())
    for (const row of rows.filter(isErased))
      if ((await erasureInLog(log, row)).state === 'not erased')
        return [
          `personal-keys.db says that ${row.owner} was erased, but the log has no affiliate.erased. Start the service on the source once, which records it again.`,
        ];
  return [];
};

/** How many keys are not wrapped by a key of this box. */
export const countUnreadableKeys = async (
  keys: Pick<Keys, 'scan'>,
  box: Pick<SecretBox, 'hasKeyOf'>,
): Promise<number> => {
  let count = 0;
  for await (const rows of keys.scan())
    count += rows.filter(isKey).filter(({ key }) => !box.hasKeyOf(key)).length;
  return count;
};
