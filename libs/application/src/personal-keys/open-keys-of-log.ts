import { streams } from '@refledger/contracts';
import { logDecider } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import {
  KeyStoreError,
  openKeyReader,
  openKeyStore,
  placeOfKeys,
  type KeyReader,
  type KeyStore,
} from '@refledger/key-store';
import { newContext } from '../command-context.js';
import { CommandHandler } from '../command-handler.js';
import { destroyKey } from './destroy-key.js';
import type { ErasedEvent } from './erased-event.js';
import { withErasures } from './unapplied-erasures.js';

export interface OpenKeysOptions extends Omit<Parameters<typeof openKeyStore>[1], 'create'> {
  /** KEY_STORE_URL. */
  readonly url: string;
}

/**
 * Opens the key store of a log. A new log gets a new store, whose id is recorded in the log before
 * the first key is made. Throws `KeyStoreError`: `absent` if the recorded store is missing, and
 * `unusable` if another one has taken its place.
 */
export const openKeysOfLog = async (
  log: EventLog,
  { url, ...options }: OpenKeysOptions,
): Promise<KeyStore> => {
  const commands = new CommandHandler(log);
  const recorded = await recordedKeyStore(commands);
  const place = await placeOfKeys(url, options);
  const store = await openKeyStore(url, { ...options, create: recorded === undefined }).catch(
    lacking(recorded, place),
  );
  return closedOnFailure(store, async () => {
    if (recorded === undefined) await record(commands, store);
    requireRecorded(store, await recordedKeyStore(commands), place);
    if (recorded === undefined) await beginAtHead(log, store);
    return withErasures(log, store, (event) => destroyLeft(store, event, commands.instant()));
  });
};

/**
 * Opens the key store of a log to read keys. Throws `KeyStoreError` like `openKeysOfLog`, and
 * `unavailable` until a gateway has created the store.
 */
export const openKeyReaderOfLog = (log: EventLog, options: ExistingKeys): Promise<KeyReader> =>
  openExisting(log, options, () => openKeyReader(options.url, options));

/**
 * Opens the key store of a log to compare what is stored: keys of erased affiliates are shown until
 * they are destroyed. Throws like `openKeyReaderOfLog`.
 */
export const openStoredKeysOfLog = (log: EventLog, options: ExistingKeys): Promise<KeyReader> =>
  openExisting(
    log,
    options,
    () => openKeyReader(options.url, options),
    (store) => store,
  );

/** Opens the key store of a log to change keys, and never creates it. Throws like `openKeyReaderOfLog`. */
export const openExistingKeysOfLog = (log: EventLog, options: ExistingKeys): Promise<KeyStore> =>
  openExisting(log, options, () => openKeyStore(options.url, { ...options, create: false }));

type ExistingKeys = Pick<OpenKeysOptions, 'url' | 'dataDir'>;

const openExisting = async <Store extends KeyReader>(
  log: EventLog,
  { url, dataDir }: ExistingKeys,
  open: () => Promise<Store>,
  prepared: (store: Store) => Store | Promise<Store> = (store) => withErasures(log, store),
): Promise<Store> => {
  const commands = new CommandHandler(log);
  const recorded = await recordedKeyStore(commands);
  if (recorded === undefined)
    throw new KeyStoreError(
      'unavailable',
      'The event log names no key store yet. Start a gateway, which creates it.',
    );
  const place = await placeOfKeys(url, { dataDir });
  const store = await open().catch(lacking(recorded, place));
  return closedOnFailure(store, async () => {
    requireRecorded(store, recorded, place);
    return prepared(store);
  });
};

/** The id of the key store that a log names; undefined until it names one. */
export const recordedKeyStore = async (commands: CommandHandler): Promise<string | undefined> =>
  (await commands.load(logDecider, streams.log)).state.keyStoreId;

const record = (commands: CommandHandler, { id }: KeyStore): Promise<unknown> =>
  commands.run({
    stream: streams.log,
    decider: logDecider,
    command: { type: 'record_key_store', key_store_id: id },
    context: newContext({ accountId: null, actor: 'service', requestId: id }),
  });

const requireRecorded = ({ id }: KeyReader, recorded: string | undefined, place: string): void => {
  if (id !== recorded) throw notRecorded('unusable', recorded, `${place} has ${id}`);
};

/** Returns the handler of a failure to open: it says what to do about a missing store. */
const lacking =
  (recorded: string | undefined, place: string) =>
  (error: unknown): never => {
    throw error instanceof KeyStoreError && error.kind === 'absent'
      ? notRecorded('absent', recorded, `${place} has none`)
      : error;
  };

const notRecorded = (
  kind: KeyStoreError['kind'],
  recorded: string | undefined,
  found: string,
): KeyStoreError =>
  new KeyStoreError(
    kind,
    `The event log names the key store ${recorded}, but ${found}. Restore the key store that belongs to this log: no other one opens its personal data.`,
  );

/** Nobody was erased before a new store existed. */
const beginAtHead = async (log: EventLog, store: KeyStore): Promise<void> => {
  const position = await log.head();
  const event = position === undefined ? undefined : await log.eventAt(position);
  if (event !== undefined)
    await store.saveCheckpoint({ logId: log.id, position: event.position, eventId: event.id });
};

/** Destroys a key that a crash has left. If that fails now, the ledger does it later. */
const destroyLeft = async (store: KeyStore, event: ErasedEvent, at: string): Promise<void> => {
  try {
    await destroyKey(store, event, at);
  } catch (error) {
    if (!(error instanceof KeyStoreError)) throw error;
  }
};

/** Returns what the work makes of a store, or closes the store if it fails. */
const closedOnFailure = async <Store extends KeyReader>(
  store: Store,
  work: () => Promise<Store>,
): Promise<Store> => {
  try {
    return await work();
  } catch (error) {
    await store.close();
    throw error;
  }
};
