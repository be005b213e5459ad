import type { Checkpoint, LogId } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import {
  KeyStoreError,
  openKeyReader,
  openKeyStore,
  type KeyReader,
  type KeyRow,
  type KeyStore,
} from '@refledger/key-store';
import { erasureInLog } from '../erasures/erasure-in-log.js';
import { isErased } from '../erasures/read-erasures.js';
import { UsageError } from '../exit-codes.js';
import { countRows } from '../keys/count-rows.js';
import { isCopied } from './copy-events.js';
import type { Translate } from './position-translation.js';
import type { Work } from '../progress.js';

/** The row of a key. */
type ActiveRow = KeyRow & { readonly kind: 'key'; readonly putAt: string };

/** Opens keys to read them; undefined if there is no store. */
export const openExistingKeys = (url: string, dataDir: string): Promise<KeyReader | undefined> =>
  openKeyReader(url, { dataDir }).catch((error: unknown) => {
    if (error instanceof KeyStoreError && error.kind === 'absent') return undefined;
    throw error;
  });

/**
 * Opens the target's key store, which becomes the source's: it has the same id. Throws `UsageError`
 * if there is another one.
 */
export const openCopiedKeys = async (
  url: string,
  dataDir: string,
  { id }: Pick<KeyReader, 'id'>,
): Promise<KeyStore> => {
  const target = await openKeyStore(url, { dataDir, create: true, newId: id });
  if (target.id === id) return target;
  await target.close();
  throw keyStoreInUse(target.id);
};

/** The error for a target database that has another key store. */
export const keyStoreInUse = (id: string): UsageError =>
  new UsageError(
    `the target's database holds another key store (${id}), so a gateway was started on it. Stop it, and copy into a database without Refledger data.`,
  );

/** The source and the target of `copyKeys`. */
export interface CopyKeys extends Work {
  readonly source: Pick<KeyReader, 'scan'>;
  readonly target: Pick<KeyStore, 'put'>;
}

/**
 * Copies every key, still wrapped, with its claims. No event may be copied before its key: whoever
 * finds an affiliate in the target's log must find the key.
 */
export const copyKeys = async ({ source, target, progress, signal }: CopyKeys): Promise<void> => {
  const total = await countRows(source);
  let done = 0;
  for await (const rows of source.scan()) {
    signal.throwIfAborted();
    await Promise.all(rows.filter(isKey).map((row) => putRow(target, row)));
    progress.update((done += rows.length), total);
  }
};

const putRow = async (
  target: Pick<KeyStore, 'put'>,
  { owner, accountId, key, claims, putAt }: ActiveRow,
): Promise<void> => {
  for (const claim of claims.length === 0 ? [null] : claims)
    await target.put(owner, { accountId, key, claim, at: putAt });
};

/** The source and the target of `copyErasures`. */
export interface CopyErasures extends Pick<Work, 'signal'> {
  readonly source: Pick<KeyReader, 'scan' | 'checkpoint'>;
  readonly target: Pick<KeyStore, 'destroy' | 'saveCheckpoint'>;
  readonly log: Pick<EventLog, 'id' | 'eventAt' | 'readStream'>;
  readonly targetLogId: LogId;
  readonly translate: Translate;
}

/**
 * Copies who was erased, and up to where the erasures of the log were applied. Both name events, so
 * the events must be copied before.
 */
export const copyErasures = async ({
  source,
  target,
  signal,
  ...logs
}: CopyErasures): Promise<void> => {
  for await (const rows of source.scan()) {
    signal.throwIfAborted();
    await Promise.all(
      rows.filter(isErased).map(async (row) => {
        const { owner, accountId, eventId, position, erasedAt } = await translatedRow(row, logs);
        await target.destroy(owner, { accountId, eventId, position, erasedAt });
      }),
    );
  }
  const checkpoint = await translatedCheckpoint(await source.checkpoint(), logs);
  if (checkpoint !== undefined) await target.saveCheckpoint(checkpoint);
};

/**
 * The row with its position in the other log. The position stays as it is if the log does not have the
 * affiliate: it was restored to before the affiliate existed.
 */
export const translatedRow = async <Row extends KeyRow>(
  row: Row,
  { log, translate }: Pick<CopyErasures, 'log' | 'translate'>,
): Promise<Row> => {
  if (!isErased(row)) return row;
  const found = await erasureInLog(log, row);
  return found.state === 'erased'
    ? { ...row, position: (await translate(found.position)).position }
    : row;
};

/**
 * The same checkpoint in the other log; undefined if the source's log has another event there, or
 * one that is not copied. Without a checkpoint, all erasures of the log are applied again.
 */
export const translatedCheckpoint = async (
  checkpoint: Checkpoint | undefined,
  { log, targetLogId, translate }: Pick<CopyErasures, 'log' | 'targetLogId' | 'translate'>,
): Promise<Checkpoint | undefined> => {
  if (checkpoint === undefined || checkpoint.logId !== log.id) return undefined;
  const event = await log.eventAt(checkpoint.position);
  if (event?.id !== checkpoint.eventId || !isCopied(event)) return undefined;
  const { id, position } = await translate(checkpoint.position);
  return { logId: targetLogId, position, eventId: id };
};

export const isKey = (row: KeyRow): row is ActiveRow => row.kind === 'key';
