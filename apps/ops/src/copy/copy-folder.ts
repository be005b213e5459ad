import { existsSync } from 'node:fs';
import { toInstant } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { readMove, writeMove, type DataFolder, type Move } from '@refledger/platform';
import { soleHolder, type DeliveryStatus, type DeliveryStore } from '@refledger/webhooks';
import type { DeliveryIntake } from '@refledger/webhooks/mongodb';
import { openSqliteDeliveryStore } from '@refledger/webhooks/sqlite';
import type { Console } from '../console.js';
import { requireLog, takeFolder } from '../engines/take-folder.js';
import { Misuse } from '../exit-codes.js';
import { newProgress } from '../progress.js';
import { withOpen } from '../with-open.js';
import { copiedSoFar, copyEvents } from './copy-events.js';
import { copyDeliveries, storeInUse, translatedDelivery } from './copy-deliveries.js';
import { digestDeliveries, digestEvents, type Digest } from './digest.js';
import { positionTranslation } from './position-translation.js';
import { reasonsAgainst } from './readiness.js';
import { shownTarget } from './shown-target.js';

export interface CopyFolder {
  readonly folder: DataFolder;
  readonly eventLogUrl: string;
  readonly readStoreUrl: string;
  readonly secretsKeys: readonly Buffer[] | undefined;
  readonly console: Pick<Console, 'say' | 'terminal' | 'signal'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The same of both sides. */
export interface Compared<Of extends Digest> {
  readonly source: Of;
  readonly target: Of;
}

export interface Copied {
  readonly events: Compared<Digest>;
  /** Undefined where nothing was ever delivered. */
  readonly deliveries:
    Compared<Digest & { readonly counts: Readonly<Record<DeliveryStatus, number>> }> | undefined;
  readonly isSame: boolean;
  readonly move: Move;
}

/**
 * Copies a data folder to EventStoreDB and MongoDB, or goes on where an earlier run ended, and compares both. The folder is held all the time, marked as
 * moving before the first event is copied, and as moved once both are the same. Throws `Misuse` for what doesn't go together.
 */
export const copyFolder = async (options: CopyFolder): Promise<Copied> => {
  const { folder, eventLogUrl, readStoreUrl } = options;
  requireLog(folder);
  const lock = takeFolder(folder);
  try {
    const begun = readMove(folder);
    if (begun?.state === 'moved')
      throw new Misuse(
        `${folder.path} was moved to EventStoreDB at ${begun.event_log} and MongoDB at ${begun.read_store} at ${begun.since}: there is nothing left to do`,
      );
    return await withOpen(openSqliteEventLog({ file: folder.events, mode: 'write' }), (source) =>
      withDeliveries(folder, options.now, (store) =>
        openTarget(eventLogUrl, readStoreUrl, async (target, intake) =>
          copy({ ...options, begun, source, store, target, intake }),
        ),
      ),
    );
  } finally {
    lock.release();
  }
};

interface Opened {
  readonly begun: Move | undefined;
  readonly source: EventLog;
  readonly store: DeliveryStore | undefined;
  readonly target: EventLog;
  readonly intake: DeliveryIntake;
}

const copy = async ({
  folder,
  begun,
  source,
  store,
  target,
  intake,
  eventLogUrl,
  readStoreUrl,
  secretsKeys,
  console,
  now,
}: CopyFolder & Opened): Promise<Copied> => {
  const { signal } = console;
  const reasons = await reasonsAgainst({
    log: source,
    store,
    secretsKeys,
    keyFile: existsSync(folder.secretsKey) ? folder.secretsKey : undefined,
  });
  if (begun !== undefined && begun.log_id !== target.id)
    reasons.unshift(
      `${folder.path} is being copied to EventStoreDB at ${begun.event_log}, and this is another log: name that one, or take the copy back first (ops copy --from ${folder.path} --cancel)`,
    );
  if (reasons.length > 0) throw new Misuse(reasons.join('\n     '));
  const made = await intake.storeId();
  if (made !== undefined && made !== store?.id) throw storeInUse(made);
  const after = await copiedSoFar(source, target);
  signal.throwIfAborted();

  const move: Move = {
    state: 'moving',
    event_log: shownTarget(eventLogUrl),
    read_store: shownTarget(readStoreUrl),
    log_id: target.id,
    since: begun?.since ?? toInstant(now()),
  };
  await writeMove(folder, move);
  await shown('copying events', 'position', console, (progress) =>
    copyEvents({ source, target, after, progress, signal }),
  );
  const translate = positionTranslation(source, target);
  if (store !== undefined)
    await shown('copying deliveries', 'delivery', console, (progress) =>
      copyDeliveries({
        source: store,
        intake,
        targetLogId: target.id,
        translate,
        progress,
        signal,
      }),
    );

  const comparing = <T>(
    what: string,
    unit: string,
    work: (options: {
      progress: ReturnType<typeof newProgress>;
      signal: AbortSignal;
    }) => Promise<T>,
  ): Promise<T> =>
    shown(`comparing ${what}`, unit, console, (progress) => work({ progress, signal }));
  const events = {
    source: await comparing('events of the source', 'position', (options) =>
      digestEvents(source, options),
    ),
    target: await comparing('events of the target', 'position', (options) =>
      digestEvents(target, options),
    ),
  };
  const deliveries =
    store &&
    (await withOpen(openTargetStore(readStoreUrl), async (copied) => ({
      source: await comparing('deliveries of the source', 'delivery', (options) =>
        digestDeliveries(store, (delivery) => translatedDelivery(delivery, translate), options),
      ),
      target: await comparing('deliveries of the target', 'delivery', (options) =>
        digestDeliveries(copied, (delivery) => Promise.resolve(delivery), options),
      ),
    })));
  const isSame = same(events) && (deliveries === undefined || same(deliveries));
  if (!isSame) return { events, deliveries, isSame, move };
  const moved: Move = { ...move, state: 'moved', since: toInstant(now()) };
  await writeMove(folder, moved);
  return { events, deliveries, isSame, move: moved };
};

const same = ({ source, target }: Compared<Digest>): boolean =>
  source.count === target.count && source.hash === target.hash;

const shown = async <T>(
  what: string,
  unit: string,
  console: CopyFolder['console'],
  work: (progress: ReturnType<typeof newProgress>) => Promise<T>,
): Promise<T> => {
  const progress = newProgress(what, console, { unit });
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
};

/** With the folder's deliveries, those that a crash left under way due again; none are made where there are none. */
const withDeliveries = async <T>(
  { deliveries }: DataFolder,
  now: () => number,
  work: (store: DeliveryStore | undefined) => Promise<T>,
): Promise<T> => {
  if (!existsSync(deliveries)) return work(undefined);
  return withOpen(openSqliteDeliveryStore({ file: deliveries }), async (store) => {
    await store.recover({ now: toInstant(now()), leftBy: soleHolder });
    return work(store);
  });
};

const openTarget = async <T>(
  eventLogUrl: string,
  readStoreUrl: string,
  work: (target: EventLog, intake: DeliveryIntake) => Promise<T>,
): Promise<T> => {
  const { openMongodbDeliveryIntake } = await import('@refledger/webhooks/mongodb');
  const { openEventStoreDbEventLog } = await import('@refledger/event-log/eventstoredb');
  return withOpen(openMongodbDeliveryIntake({ url: readStoreUrl }), (intake) =>
    withOpen(openEventStoreDbEventLog({ url: eventLogUrl }), (target) => work(target, intake)),
  );
};

const openTargetStore = async (url: string): Promise<DeliveryStore> =>
  (await import('@refledger/webhooks/mongodb')).openMongodbDeliveryStore({ url });
