import { toPosition, type LogId } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import type { Delivery, DeliveryStore } from '@refledger/delivery-store';
import type { DeliveryIntake } from '@refledger/delivery-store/mongodb';
import { UsageError, Unreachable } from '../exit-codes.js';
import { eachDelivery } from './each-delivery.js';
import type { Translate } from './position-translation.js';
import type { Work } from '../progress.js';

/** The sources and targets of `copyDeliveries`. */
export interface CopyDeliveries extends Work {
  readonly source: DeliveryStore;
  readonly intake: DeliveryIntake;
  readonly targetLogId: LogId;
  readonly translate: Translate;
}

/**
 * Copies all deliveries, the notes of what was removed, and the health of endpoints, then writes
 * the store's id, offsets and floor in one step. Before that step no dispatcher takes the store for
 * its own; after it, the store says which events have been planned.
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
        'a process that is gone still holds a delivery of the source. Its lease expires within a minute; try again then.',
      );
    const answered = await source.answeredKeys(translated.map(({ id }) => id));
    const keysOf = (delivery: Delivery) =>
      answered.flatMap(({ answered: by, ...key }) => (by === delivery.id ? [key] : []));
    await intake.insert(
      translated.map((delivery, index) => ({
        delivery,
        n: first - index,
        keys: keysOf(delivery),
      })),
    );
    progress.update((done += deliveries.length), total);
  }
  await copyHealth(source, intake, translate);
  const { endedBefore, heldThrough } = await source.removed();
  for (const [endpoint, through] of heldThrough)
    await intake.noteRemoved(endpoint, (await translate(through)).position);
  signal.throwIfAborted();
  const [offsets, floor] = [await source.offsets(), await source.floor()];
  const made = await intake.complete({
    id: source.id,
    offsets: await Promise.all(
      offsets.map((offset) => translatedOffset(offset, targetLogId, translate)),
    ),
    floor: floor === undefined ? undefined : (await translate(floor)).position,
    endedBefore,
  });
  if (made !== source.id) throw storeInUse(made);
};

const copyHealth = async (
  source: DeliveryStore,
  intake: DeliveryIntake,
  translate: Translate,
): Promise<void> => {
  for (const endpoint of await source.endpointsInSeries()) {
    const series = await source.series(endpoint);
    if (series === undefined) continue;
    const { position: from } = await translate(series.from);
    await intake.keepSeries(endpoint, { ...series, from });
  }
};

/** The delivery with its positions in the other log. The event of a test is in no log. */
export const translatedDelivery = async (
  delivery: Delivery,
  translate: Translate,
): Promise<Delivery> => ({
  ...delivery,
  position:
    delivery.trigger === 'test' ? delivery.position : (await translate(delivery.position)).position,
  decidedAt: (await translate(delivery.decidedAt)).position,
});

/**
 * The offset of the same event in the other log. Works only where the log itself is the bus: the
 * offsets of another bus have no counterpart. Throws `UsageError` when the log has another event
 * there.
 */
export const translatedOffset = async (
  { partition, offset, mark }: Offset,
  targetLogId: LogId,
  translate: Translate,
): Promise<Offset> => {
  const position = toPosition(offset);
  if (position === undefined)
    throw new UsageError(
      `the offset ${offset} in deliveries.db is not a position in the source's log.`,
    );
  const event = await translate(position);
  if (mark !== undefined && event.id !== mark)
    throw new UsageError(
      `deliveries.db is at event ${mark}, but the source's log has a different event at position ${offset}. Start the service on the source once, and decide with ops resume as it instructs.`,
    );
  return { source: targetLogId, partition, offset: event.position, mark: event.id };
};

/** The error for a target database that has another delivery store. */
export const storeInUse = (id: string): UsageError =>
  new UsageError(
    `the target's database holds another delivery store (${id}), so a webhook-dispatcher was started on it. Stop it, and copy into a database without Refledger data.`,
  );
