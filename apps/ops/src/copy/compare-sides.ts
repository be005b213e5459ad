import type { Checkpoint, DeliveryStatus } from '@refledger/contracts';
import { createHash } from 'node:crypto';
import type { EventLog } from '@refledger/event-log';
import { openKeyReader, type KeyReader, type KeyRow } from '@refledger/key-store';
import { openDeliveryStore, type Delivery, type OperatorStore } from '@refledger/delivery-store';
import type { Console } from '../console.js';
import { isErased } from '../erasures/read-erasures.js';
import { shownWork, type Work } from '../progress.js';
import { withOpen } from '../with-open.js';
import { translatedDelivery } from './copy-deliveries.js';
import { isCopied } from './copy-events.js';
import { countRows } from '../keys/count-rows.js';
import { translatedCheckpoint, translatedRow } from './copy-keys.js';
import { eachDelivery } from './each-delivery.js';
import type { Target } from './open-target.js';
import type { Translate } from './position-translation.js';

export interface BothSides<Of extends Digest> {
  readonly source: Of;
  readonly target: Of;
}

/** The digests of both sides, and whether they are equal. */
export interface ComparedSides {
  readonly events: BothSides<Digest>;
  /** Undefined when nothing was ever delivered. */
  readonly deliveries: BothSides<DeliveriesDigest> | undefined;
  /** Undefined when the source has no key store. */
  readonly keys: BothSides<KeysDigest> | undefined;
  readonly isSame: boolean;
}

interface Sides extends Pick<Target, 'deliveryStoreUrl' | 'keyStoreUrl' | 'directory'> {
  readonly source: EventLog;
  readonly target: EventLog;
  /** The source's delivery store; undefined when nothing was ever delivered. */
  readonly store: OperatorStore | undefined;
  /** The source's key store; undefined when it has none. */
  readonly keys: KeyReader | undefined;
  readonly translate: Translate;
  readonly console: Pick<Console, 'report' | 'terminal' | 'signal'>;
}

/** Digests all events, deliveries and keys of the source and of its copy, one side after the other. */
export const compareSides = async (sides: Sides): Promise<ComparedSides> => {
  const { store, keys: from } = sides;
  const events = await compareEvents(sides);
  const deliveries = store && (await compareDeliveries(sides, store));
  const keys = from && (await compareKeys(sides, from));
  const isSame = [events, deliveries, keys].every((sides) => sides === undefined || same(sides));
  return { events, deliveries, keys, isSame };
};

const compareEvents = async ({ source, target, console }: Sides): Promise<BothSides<Digest>> => {
  const digest = (side: keyof BothSides<Digest>, log: EventLog): Promise<Digest> =>
    shownWork(console, { what: `comparing events of the ${side}`, unit: 'position' }, (options) =>
      digestEvents(log, options),
    );
  return { source: await digest('source', source), target: await digest('target', target) };
};

const compareDeliveries = (
  { translate, console, deliveryStoreUrl, directory }: Sides,
  store: OperatorStore,
): Promise<BothSides<DeliveriesDigest>> => {
  const digest = (
    side: keyof BothSides<Digest>,
    from: OperatorStore,
    known: (delivery: Delivery) => Promise<Delivery>,
  ): Promise<DeliveriesDigest> =>
    shownWork(
      console,
      { what: `comparing deliveries of the ${side}`, unit: 'delivery' },
      (options) => digestDeliveries(from, known, options),
    );
  return withOpen(
    openDeliveryStore(deliveryStoreUrl, { dataDir: directory.path }),
    async (copied) => ({
      source: await digest('source', store, (delivery) => translatedDelivery(delivery, translate)),
      target: await digest('target', copied, (delivery) => Promise.resolve(delivery)),
    }),
  );
};

const compareKeys = (
  { source, target, translate, console, keyStoreUrl, directory }: Sides,
  keys: KeyReader,
): Promise<BothSides<KeysDigest>> => {
  const digest = (
    side: keyof BothSides<Digest>,
    from: KeyReader,
    known: KnownKeys,
  ): Promise<KeysDigest> =>
    shownWork(console, { what: `comparing keys of the ${side}`, unit: 'key' }, (options) =>
      digestKeys(from, known, options),
    );
  return withOpen(openKeyReader(keyStoreUrl, { dataDir: directory.path }), async (copied) => ({
    source: await digest('source', keys, {
      row: (row) => translatedRow(row, { log: source, translate }),
      checkpoint: (checkpoint) =>
        translatedCheckpoint(checkpoint, { log: source, targetLogId: target.id, translate }),
    }),
    target: await digest('target', copied, {
      row: (row) => Promise.resolve(row),
      checkpoint: (checkpoint) => Promise.resolve(checkpoint),
    }),
  }));
};

const same = ({ source, target }: BothSides<Digest>): boolean =>
  source.count === target.count && source.hash === target.hash;

/**
 * A summary to compare two stores by: the number of records, and SHA-256 over their contents in
 * order.
 */
export interface Digest {
  readonly count: number;
  readonly hash: string;
}

interface DeliveriesDigest extends Digest {
  readonly counts: Readonly<Record<DeliveryStatus, number>>;
}

/**
 * Digests every event in the log's order. Positions are excluded, because they differ between logs.
 */
export const digestEvents = async (log: EventLog, { progress, signal }: Work): Promise<Digest> => {
  const digest = newDigest();
  const head = await log.head();
  for await (const { events, through } of log.readAll()) {
    signal.throwIfAborted();
    for (const { stream, revision, id, type, data, metadata } of events.filter(isCopied))
      digest.add([stream, revision, id, type, data, metadata]);
    progress.update(through, head);
  }
  return digest.end();
};

/**
 * Digests every delivery with its attempts. `known` translates a delivery into the other side's
 * terms.
 */
const digestDeliveries = async (
  store: OperatorStore,
  known: (delivery: Delivery) => Promise<Delivery>,
  { progress, signal }: Work,
): Promise<DeliveriesDigest> => {
  const digest = newDigest();
  const counts = await store.counts();
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  let done = 0;
  for await (const { deliveries } of eachDelivery(store)) {
    signal.throwIfAborted();
    for (const delivery of await Promise.all(deliveries.map(known)))
      digest.add(contentsOf(delivery));
    progress.update((done += deliveries.length), total);
  }
  // Hash the counts per status too, since stores count them separately.
  digest.add(Object.entries(counts).sort());
  return { ...digest.end(), count: done, counts };
};

/** The number of rows, and of those that were erased. */
interface KeysDigest extends Digest {
  readonly erased: number;
}

/** Translates what names a position into the other side's terms. */
interface KnownKeys {
  readonly row: (row: KeyRow) => Promise<KeyRow>;
  readonly checkpoint: (checkpoint: Checkpoint | undefined) => Promise<Checkpoint | undefined>;
}

/** Digests every row, still wrapped, the store's id and its checkpoint. */
const digestKeys = async (
  store: KeyReader,
  known: KnownKeys,
  { progress, signal }: Work,
): Promise<KeysDigest> => {
  const digest = newDigest();
  const total = await countRows(store);
  let [done, erased] = [0, 0];
  for await (const rows of store.scan()) {
    signal.throwIfAborted();
    for (const row of await Promise.all(rows.map(known.row))) digest.add(partsOf(row));
    erased += rows.filter(isErased).length;
    progress.update((done += rows.length), total);
  }
  const checkpoint = await known.checkpoint(await store.checkpoint());
  digest.add([store.id, checkpoint?.logId, checkpoint?.position, checkpoint?.eventId]);
  return { ...digest.end(), count: done, erased };
};

const partsOf = ({ owner, accountId, claims, putAt, ...stored }: KeyRow): readonly unknown[] => [
  owner,
  accountId,
  claims,
  putAt,
  ...(stored.kind === 'key' ? [stored.key] : [stored.eventId, stored.position, stored.erasedAt]),
];

const newDigest = () => {
  const hash = createHash('sha256');
  let count = 0;
  return {
    add: (contents: readonly unknown[]): void => {
      hash.update(`${JSON.stringify(contents)}\n`);
      count++;
    },
    end: (): Digest => ({ count, hash: hash.digest('hex') }),
  };
};

const contentsOf = (delivery: Delivery): readonly unknown[] => [
  delivery.id,
  delivery.accountId,
  delivery.endpointId,
  delivery.eventId,
  delivery.eventType,
  delivery.objectId,
  delivery.trigger,
  delivery.position,
  delivery.decidedAt,
  delivery.payload,
  delivery.body,
  delivery.status,
  delivery.dueAt,
  delivery.createdAt,
  delivery.finishedAt,
  delivery.reason,
  delivery.attemptCount,
  delivery.failures,
  delivery.attempts.map((attempt) => [
    attempt.number,
    attempt.startedAt,
    attempt.finishedAt,
    attempt.outcome,
    attempt.status,
    attempt.error,
    attempt.address,
    attempt.retryAfter,
    attempt.sealedResponse,
  ]),
];
