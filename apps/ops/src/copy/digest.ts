import { createHash } from 'node:crypto';
import type { EventLog } from '@refledger/event-log';
import type { Delivery, DeliveryStatus, DeliveryStore } from '@refledger/webhooks';
import type { Progress } from '../progress.js';
import { isCopied } from './copy-events.js';
import { eachDelivery } from './each-delivery.js';

/**
 * A summary to compare two stores by: the number of records, and SHA-256 over their contents in
 * order.
 */
export interface Digest {
  readonly count: number;
  readonly hash: string;
}

export interface DigestOptions {
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Digests every event in the log's order. Positions are excluded, because they differ between logs.
 */
export const digestEvents = async (
  log: EventLog,
  { progress, signal }: DigestOptions,
): Promise<Digest> => {
  const digest = newDigest();
  const head = await log.head();
  for await (const { events, through } of log.readAll()) {
    signal.throwIfAborted();
    for (const { stream, revision, id, type, data, metadata } of events.filter(isCopied))
      digest.add([stream, revision, id, type, data, metadata]);
    progress.to(through, head);
  }
  return digest.end();
};

/**
 * Digests every delivery with its attempts. `known` translates a delivery into the other side's
 * terms.
 */
export const digestDeliveries = async (
  store: DeliveryStore,
  known: (delivery: Delivery) => Promise<Delivery>,
  { progress, signal }: DigestOptions,
): Promise<Digest & { readonly counts: Readonly<Record<DeliveryStatus, number>> }> => {
  const digest = newDigest();
  const counts = await store.counts();
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  let done = 0;
  for await (const { deliveries } of eachDelivery(store)) {
    signal.throwIfAborted();
    for (const delivery of await Promise.all(deliveries.map(known)))
      digest.add(contentsOf(delivery));
    progress.to((done += deliveries.length), total);
  }
  // Hash the counts per status too, since stores count them separately.
  digest.add(Object.entries(counts).sort());
  return { ...digest.end(), count: done, counts };
};

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

const contentsOf = ({
  id,
  accountId,
  endpointId,
  eventId,
  eventType,
  position,
  body,
  status,
  attempts,
  dueAt,
  createdAt,
  finishedAt,
  reason,
}: Delivery): readonly unknown[] => [
  id,
  accountId,
  endpointId,
  eventId,
  eventType,
  position,
  body,
  status,
  dueAt,
  createdAt,
  finishedAt,
  reason,
  attempts.map(({ number, startedAt, finishedAt, outcome, status, error }) => [
    number,
    startedAt,
    finishedAt,
    outcome,
    status,
    error,
  ]),
];
