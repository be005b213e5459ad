import type { LogId, Position } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import type { Delivery, DeliveryStore } from '@refledger/webhooks';
import type { DeliveryIntake } from '@refledger/webhooks/mongodb';
import { UsageError, Unreachable } from '../exit-codes.js';
import type { Progress } from '../progress.js';
import { eachDelivery } from './each-delivery.js';
import type { Translate } from './position-translation.js';

export interface CopyDeliveries {
  readonly source: DeliveryStore;
  readonly intake: DeliveryIntake;
  readonly targetLogId: LogId;
  readonly translate: Translate;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Copies all deliveries, then writes the store's id, offsets and floor in one step. Before that
 * step no dispatcher takes the store for its own; after it, every planned event is known to be
 * planned.
 */
export const copyDeliveries = async ({
  source,
  intake,
  targetLogId,
  translate,
  progress,
  signal,
}: CopyDeliveries): Promise<void> => {
  const total = Object.values(await source.counts()).reduce((sum, count) => sum + count, 0);
  let done = 0;
  for await (const { deliveries, first } of eachDelivery(source)) {
    signal.throwIfAborted();
    const translated = await Promise.all(
      deliveries.map((delivery) => translatedDelivery(delivery, translate)),
    );
    if (translated.some(({ status }) => status === 'sending'))
      throw new Unreachable(
        'a delivery of the source is held by a process that is not there any more; its lease runs out within a minute: try again then',
      );
    await intake.insert(translated.map((delivery, index) => ({ delivery, n: first - index })));
    progress.to((done += deliveries.length), total);
  }
  signal.throwIfAborted();
  const [offsets, floor] = [await source.offsets(), await source.floor()];
  const made = await intake.complete({
    id: source.id,
    offsets: await Promise.all(
      offsets.map((offset) => translatedOffset(offset, targetLogId, translate)),
    ),
    floor: floor === undefined ? undefined : (await translate(floor)).position,
  });
  if (made !== source.id) throw storeInUse(made);
};

/** The delivery with its position in the other log. */
export const translatedDelivery = async (
  delivery: Delivery,
  translate: Translate,
): Promise<Delivery> => ({ ...delivery, position: (await translate(delivery.position)).position });

/**
 * The offset of the same event in the other log. Works only for offsets of the log as the bus:
 * those of another bus have no counterpart. Throws `UsageError` when the log has another event
 * there.
 */
export const translatedOffset = async (
  { partition, offset, mark }: Offset,
  targetLogId: LogId,
  translate: Translate,
): Promise<Offset> => {
  // Decoding border: with the log as the bus, an offset is a position.
  const event = await translate(offset as Position);
  if (mark !== undefined && event.id !== mark)
    throw new UsageError(
      `deliveries.db has come to event ${mark}, and the log of the source has another at position ${offset}: start the service there once, and decide with ops resume what it asks`,
    );
  return { source: targetLogId, partition, offset: event.position, mark: event.id };
};

/** The error for a target database that has another delivery store. */
export const storeInUse = (id: string): UsageError =>
  new UsageError(
    `the target's database has the delivery store ${id}, which is not that of the source: a webhook-dispatcher was started on it; stop it and copy into a database that holds nothing of Refledger`,
  );
