import { existsSync } from 'node:fs';
import { toInstant, type Position } from '@refledger/contracts';
import { embeddedUrls, type DataDirectory } from '@refledger/engines';
import { openEventLog, type EventLog } from '@refledger/event-log';
import {
  readMigrationMarker,
  whyBackupSendsNothing,
  writeMigrationMarker,
  type MigrationMarker,
} from '@refledger/operator';
import { openDeliveryStore, type DeliveryStore } from '@refledger/delivery-store';
import { exclusiveHolder } from '@refledger/webhook-endpoints';
import type { KeyReader } from '@refledger/key-store';
import type { DeliveryIntake } from '@refledger/delivery-store/mongodb';
import type { Console } from '../console.js';
import { withDirectory } from '../engines/take-directory.js';
import { UsageError } from '../exit-codes.js';
import { withOpen } from '../with-open.js';
import { compareSides, type ComparedSides } from './compare-sides.js';
import { copyDeliveries, storeInUse } from './copy-deliveries.js';
import { copiedSoFar, copyEvents } from './copy-events.js';
import {
  copyErasures,
  copyKeys,
  keyStoreInUse,
  openCopiedKeys,
  openExistingKeys,
} from './copy-keys.js';
import { withTarget, type Target } from './open-target.js';
import { positionTranslation, type Translate } from './position-translation.js';
import { findBlockers } from './readiness.js';
import { shownTarget } from './shown-target.js';
import { shownWork } from '../progress.js';

/** The directory and the target of a copy, and how to report its progress. */
export interface CopyDirectoryOptions extends Target {
  readonly secretsKeys: readonly Buffer[] | undefined;
  readonly console: Pick<Console, 'report' | 'terminal' | 'signal'>;
  /** The current time in milliseconds since the epoch. */
  readonly now: () => number;
}

/** The result of a copy: the comparison of both sides, and the marker in the directory. */
export interface CopyResult extends ComparedSides {
  readonly move: MigrationMarker;
}

/**
 * Copies a data directory to EventStoreDB and MongoDB, or continues where an earlier run ended, and
 * compares both sides. The directory is locked throughout. It is marked as moving before the first
 * event is copied, and as moved once both sides are the same. Throws `UsageError` when source and
 * target do not fit together.
 */
export const copyDirectory = (options: CopyDirectoryOptions): Promise<CopyResult> =>
  withDirectory(options.directory, async () => {
    const { directory } = options;
    const earlierMarker = readMigrationMarker(directory);
    if (earlierMarker?.state === 'moved')
      throw new UsageError(
        `${directory.path} was moved to EventStoreDB at ${earlierMarker.event_log} and MongoDB at ${earlierMarker.read_store} at ${earlierMarker.since}. There is nothing left to do.`,
      );
    refuseBackup(directory);
    return withOpen(
      openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory.path, mode: 'write' }),
      (source) =>
        withDeliveries(directory, options.now, (store) =>
          withKeys(directory, (keys) =>
            withTarget(options, async (target, intake) =>
              copy({ ...options, earlierMarker, source, store, keys, target, intake }),
            ),
          ),
        ),
    );
  });

/** The services on the target would send, although a service on this directory must not. */
const refuseBackup = (directory: DataDirectory): void => {
  const reason = whyBackupSendsNothing(directory);
  if (reason !== undefined)
    throw new UsageError(
      `${directory.path} cannot be copied, since services on the target would send webhooks: ${reason}.`,
    );
};

interface CopyContext extends CopyDirectoryOptions {
  /** The marker that an earlier run left in the directory. */
  readonly earlierMarker: MigrationMarker | undefined;
  readonly source: EventLog;
  readonly store: DeliveryStore | undefined;
  readonly keys: KeyReader | undefined;
  readonly target: EventLog;
  readonly intake: DeliveryIntake;
}

const copy = async (options: CopyContext): Promise<CopyResult> => {
  const { directory, earlierMarker, source, target, now } = options;
  const { eventLogUrl, readStoreUrl, deliveryStoreUrl, keyStoreUrl } = options;
  await refuseUnready(options);
  const after = await copiedSoFar(source, target);
  options.console.signal.throwIfAborted();

  const move: MigrationMarker = {
    state: 'moving',
    event_log: shownTarget(eventLogUrl),
    read_store: [...new Set([readStoreUrl, deliveryStoreUrl, keyStoreUrl].map(shownTarget))].join(
      ' and ',
    ),
    log_id: target.id,
    since: earlierMarker?.since ?? toInstant(now()),
  };
  await writeMigrationMarker(directory, move);
  const translate = positionTranslation(source, target);
  await transfer(options, after, translate);
  const compared = await compareSides({ ...options, translate });
  if (!compared.isSame) return { ...compared, move };
  const moved: MigrationMarker = { ...move, state: 'moved', since: toInstant(now()) };
  await writeMigrationMarker(directory, moved);
  return { ...compared, move: moved };
};

/** Throws `UsageError` with every reason why source and target do not fit together. */
const refuseUnready = async (options: CopyContext): Promise<void> => {
  const { directory, earlierMarker, source, store, keys, target, secretsKeys } = options;
  const reasons = await findBlockers({
    log: source,
    store,
    keys,
    secretsKeys,
    keyFile: existsSync(directory.secretsKey) ? directory.secretsKey : undefined,
  });
  if (earlierMarker !== undefined && earlierMarker.log_id !== target.id)
    reasons.unshift(
      `${directory.path} is being copied to EventStoreDB at ${earlierMarker.event_log}, which is not this target. Name that target, or cancel the copy first: ops copy --from ${directory.path} --cancel`,
    );
  if (reasons.length > 0) throw new UsageError(reasons.join('\n     '));
  await refuseOtherStores(options);
};

/** Throws `UsageError` if the target has a delivery store or a key store of its own. */
const refuseOtherStores = async ({
  store,
  keys,
  intake,
  keyStoreUrl,
  directory,
}: Pick<CopyContext, 'store' | 'keys' | 'intake' | 'keyStoreUrl' | 'directory'>): Promise<void> => {
  const made = await intake.storeId();
  if (made !== undefined && made !== store?.id) throw storeInUse(made);
  const existing = await openExistingKeys(keyStoreUrl, directory.path);
  await existing?.close();
  if (existing !== undefined && existing.id !== keys?.id) throw keyStoreInUse(existing.id);
};

/**
 * Copies all keys, the events after a position, and then all deliveries. The log is never without
 * its keys.
 */
const transfer = async (
  options: CopyContext,
  after: Position | undefined,
  translate: Translate,
): Promise<void> => {
  const { directory, keys, keyStoreUrl, source, target, console } = options;
  if (keys === undefined) return transferLog(options, after, translate);
  await withOpen(openCopiedKeys(keyStoreUrl, directory.path, keys), async (copied) => {
    await shownWork(console, { what: 'copying keys', unit: 'key' }, (work) =>
      copyKeys({ source: keys, target: copied, ...work }),
    );
    await transferLog(options, after, translate);
    await copyErasures({
      source: keys,
      target: copied,
      log: source,
      targetLogId: target.id,
      translate,
      signal: console.signal,
    });
  });
};

const transferLog = async (
  { source, store, target, intake, console }: CopyContext,
  after: Position | undefined,
  translate: Translate,
): Promise<void> => {
  await shownWork(console, { what: 'copying events', unit: 'position' }, (work) =>
    copyEvents({ source, target, after, ...work }),
  );
  if (store === undefined) return;
  await shownWork(console, { what: 'copying deliveries', unit: 'delivery' }, (work) =>
    copyDeliveries({ source: store, intake, targetLogId: target.id, translate, ...work }),
  );
};

/**
 * Opens the directory's delivery store, and makes any deliveries that a crash left with the status
 * `sending` due again. If there is no store, it creates none.
 */
const withDeliveries = async <T>(
  { deliveries, path }: DataDirectory,
  now: () => number,
  work: (store: DeliveryStore | undefined) => Promise<T>,
): Promise<T> => {
  if (!existsSync(deliveries)) return work(undefined);
  return withOpen(
    openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir: path }),
    async (store) => {
      await store.recoverLeftBy(exclusiveHolder, toInstant(now()));
      return work(store);
    },
  );
};

/** Opens the directory's key store to read it. */
const withKeys = async <T>(
  { path }: DataDirectory,
  work: (keys: KeyReader | undefined) => Promise<T>,
): Promise<T> => {
  const keys = await openExistingKeys(embeddedUrls.KEY_STORE_URL, path);
  return work(keys).finally(() => keys?.close());
};
