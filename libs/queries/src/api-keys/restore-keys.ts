import {
  comparePositions,
  isStreamName,
  type KeyId,
  type Position,
  type StreamName,
} from '@refledger/contracts';
import { PersistentMap, type ApiKey, type ApiKeysState } from '@refledger/domain';
import type { Snapshot } from '@refledger/application';
import { isInLog, type EventLog, type ProcessorLogger } from '@refledger/event-log';
import {
  BuildNotFoundError,
  readableBuild,
  ReadStoreError,
  type Build,
  type ReadStore,
} from '@refledger/read-store';
import {
  apiKeysProjection,
  type ApiKeyDocument,
  type StreamEndDocument,
} from '@refledger/projections';
import { snapshotAt } from '../snapshot-at.js';

/** The keys of all accounts as of a position in the log. */
export interface StoredKeys {
  readonly streams: ReadonlyMap<StreamName, Snapshot<ApiKeysState>>;
  readonly position: Position;
}

/**
 * Reads the live keys from their read model, so that a start does not read every key event ever
 * written. Undefined when the log must be read instead: there is no read model yet, it belongs to
 * another log, or it holds events later than its checkpoint and may be half saved.
 */
export const readStoredKeys = async (
  log: EventLog,
  store: ReadStore,
  logger: Pick<ProcessorLogger, 'warn'>,
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
    if (!(error instanceof BuildNotFoundError || error instanceof ReadStoreError)) throw error;
    logger.warn(
      { err: error },
      'the read model of the API keys cannot be read; reading the log instead',
    );
    return undefined;
  }
};

const readBuild = async (store: ReadStore, build: Build): Promise<StoredKeys | undefined> => {
  const { ends, position } = await readStreamEnds(store, build);
  if (position === undefined) return undefined;
  for (const end of ends.values())
    if (comparePositions(end.position, position) > 0) return undefined;

  // Read the keys after the streams' ends: changes stored in between arrive again with the events
  // after the checkpoint.
  const live = await readLiveKeys(store, build);
  const streams = new Map<StreamName, Snapshot<ApiKeysState>>();
  for (const [stream, end] of ends)
    streams.set(
      stream,
      snapshotAt(end, { live: PersistentMap.fromEntries(live.get(end.account_id) ?? []) }),
    );
  return { streams, position };
};

/**
 * The last event of each stream of keys, and the read model's position when the last of them was
 * read.
 */
const readStreamEnds = async (store: ReadStore, build: Build) => {
  const ends = new Map<StreamName, StreamEndDocument>();
  let position: Position | undefined;
  for await (const { documents, checkpoint } of store.scan(build, 'streams')) {
    position = checkpoint?.position;
    // Decoding boundary: only the projection writes these documents.
    for (const { id, document } of documents)
      if (document !== null && isStreamName(id)) ends.set(id, document as StreamEndDocument);
  }
  return { ends, position };
};

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
  { account_id, hash, record: { id, object: _, ...key } }: ApiKeyDocument,
): void => {
  const keys = live.get(account_id) ?? new Map<KeyId, ApiKey>();
  live.set(account_id, keys.set(id, { ...key, hash }));
};
