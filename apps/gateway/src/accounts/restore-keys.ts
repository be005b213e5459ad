import { comparePositions, type KeyId, type Position, type StreamName } from '@refledger/contracts';
import { PersistentMap, type ApiKey, type ApiKeysState } from '@refledger/domain';
import type { EventLog, Snapshot } from '@refledger/event-log';
import {
  BuildGone,
  readableBuild,
  ReadStoreError,
  type Build,
  type ReadStore,
} from '@refledger/read-store';
import type { Logger } from '@refledger/platform';
import {
  apiKeysProjection,
  isInLog,
  type ApiKeyDocument,
  type StreamEndDocument,
} from '@refledger/projections';
import { snapshotAt } from '../snapshot-at.js';

/** What all accounts' keys had come to at a position of the log. */
export interface StoredKeys {
  readonly streams: ReadonlyMap<StreamName, Snapshot<ApiKeysState>>;
  readonly position: Position;
}

/**
 * The live keys from their read model, so that a start reads what lives and not all that ever was.
 * Undefined where the log must be read instead: there is no read model yet, it is of another log,
 * or its writer has stored more than its checkpoint says, so that it may be half stored.
 */
export const readStoredKeys = async (
  log: EventLog,
  store: ReadStore,
  logger: Logger,
): Promise<StoredKeys | undefined> => {
  try {
    const build = readableBuild(
      await store.builds(apiKeysProjection.name),
      apiKeysProjection,
      log.id,
    );
    if (build?.checkpoint === undefined || !(await isInLog(log, build.checkpoint)))
      return undefined;
    return await readBuild(store, build);
  } catch (error) {
    if (!(error instanceof BuildGone || error instanceof ReadStoreError)) throw error;
    logger.warn({ err: error }, "the read model of API keys can't be read; reading the log");
    return undefined;
  }
};

const readBuild = async (store: ReadStore, build: Build): Promise<StoredKeys | undefined> => {
  const { ends, position } = await readStreamEnds(store, build);
  if (position === undefined) return undefined;
  for (const end of ends.values())
    if (comparePositions(end.position, position) > 0) return undefined;

  // read after the streams' ends: what is newer here comes again with the events after the checkpoint
  const live = await readLiveKeys(store, build);
  const streams = new Map(
    [...ends].map(
      ([stream, end]) =>
        [
          stream,
          snapshotAt(end, { live: PersistentMap.of(live.get(end.account_id) ?? []) }),
        ] as const,
    ),
  );
  return { streams, position };
};

/** Where each stream of keys ended, and how far the read model had come when the last of them was read. */
const readStreamEnds = async (
  store: ReadStore,
  build: Build,
): Promise<{
  readonly ends: ReadonlyMap<StreamName, StreamEndDocument>;
  readonly position: Position | undefined;
}> => {
  const ends = new Map<StreamName, StreamEndDocument>();
  let position: Position | undefined;
  for await (const { documents, checkpoint } of store.scan(build, 'streams')) {
    position = checkpoint?.position;
    // the border of decoding: written by the projection alone
    for (const { id, document } of documents)
      if (document !== null) ends.set(id as StreamName, document as StreamEndDocument);
  }
  return { ends, position };
};

/** By account. */
const readLiveKeys = async (
  store: ReadStore,
  build: Build,
): Promise<ReadonlyMap<string, ReadonlyMap<KeyId, ApiKey>>> => {
  const live = new Map<string, Map<KeyId, ApiKey>>();
  for await (const { documents } of store.scan(build, 'keys')) {
    for (const { document } of documents)
      if (document !== null) add(live, document as ApiKeyDocument);
  }
  return live;
};

const add = (
  live: Map<string, Map<KeyId, ApiKey>>,
  { id, account_id, name, scope, hash, last4, created_at }: ApiKeyDocument,
): void => {
  const keys = live.get(account_id) ?? new Map<KeyId, ApiKey>();
  live.set(account_id, keys.set(id, { name, scope, hash, last4, created_at }));
};
