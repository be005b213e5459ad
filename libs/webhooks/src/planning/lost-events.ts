import { comparePositions, publicEventId, toInstant, type Position } from '@refledger/contracts';
import type { EventLog, ProcessorLogger } from '@refledger/event-log';
import type { Clock } from '@refledger/webhook-endpoints';
import type { OperatorStore, UnfinishedDelivery, SchedulerStore } from '@refledger/delivery-store';

export interface LostEventsOptions {
  readonly log: Pick<EventLog, 'eventAt' | 'readAll' | 'head'>;
  readonly store: Pick<OperatorStore, 'unfinished' | 'lowerDecidedAt' | 'cancelUnfinished'> &
    Pick<SchedulerStore, 'endpointsUnfinished' | 'recoverLeftBy'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly holder: string;
  readonly logger: Pick<ProcessorLogger, 'warn'>;
}

/**
 * Finds deliveries whose events are no longer in the log, because the log was restored from a
 * backup.
 */
export class LostEvents {
  constructor(private readonly options: LostEventsOptions) {}

  /**
   * Cancels all unfinished deliveries of lost events, whoever has claimed them: they would announce
   * events that can't be read any more. Lowers the `decidedAt` of other deliveries to the end of
   * the log if it is beyond that. Before all this, makes due again what an earlier process of this
   * holder left in `sending`. Resolves to the number canceled.
   */
  async cancel(): Promise<number> {
    const { store, clock, holder, logger } = this.options;
    await store.recoverLeftBy(holder, toInstant(clock.now()));
    const canceled = await this.cancelUnfinished();
    if (canceled > 0)
      logger.warn(
        { canceled },
        `canceled ${canceled} deliveries of events that are no longer in the log`,
      );
    return canceled;
  }

  private async cancelUnfinished(): Promise<number> {
    const { log, store, clock } = this.options;
    let canceled = 0;
    for (const endpoint of await store.endpointsUnfinished()) {
      const unfinished = await store.unfinished(endpoint);
      // read after them: nothing that the log has now is lost
      const head = await log.head();
      const lost = await lostOf(log, unfinished);
      for (let from = 0; from < lost.length; from += step) {
        canceled += await store.cancelUnfinished(
          lost.slice(from, from + step).map(({ id }) => id),
          reason,
          toInstant(clock.now()),
        );
      }
      await this.lowerDecided(unfinished, head);
    }
    return canceled;
  }

  private async lowerDecided(
    unfinished: readonly UnfinishedDelivery[],
    head: Position | undefined,
  ): Promise<void> {
    if (head === undefined) return;
    const ahead = unfinished.filter(({ decidedAt }) => comparePositions(decidedAt, head) > 0);
    for (let from = 0; from < ahead.length; from += step) {
      const ids = ahead.slice(from, from + step).map(({ id }) => id);
      await this.options.store.lowerDecidedAt(ids, head);
    }
  }
}

const reason = 'its event is no longer in the log';
/** Deliveries per write; limited because other writes wait for it. */
const step = 500;

/**
 * The deliveries whose events are lost. A restored log is the same up to some position and differs
 * after it: a binary search finds that position.
 */
const lostOf = async (
  log: LostEventsOptions['log'],
  waiting: readonly UnfinishedDelivery[],
): Promise<readonly UnfinishedDelivery[]> => {
  const inOrder = waiting.toSorted((a, b) => comparePositions(a.position, b.position));
  let [known, lost] = [0, inOrder.length];
  while (known < lost) {
    const middle = Math.floor((known + lost) / 2);
    const delivery = inOrder[middle];
    if (delivery !== undefined && (await isInLog(log, delivery))) known = middle + 1;
    else lost = middle;
  }
  const first = inOrder[lost];
  if (first !== undefined && (await isFound(log, inOrder[lost - 1]?.position, first)))
    throw new Error(
      `the log has event ${first.eventId}, although looking up its position did not find it`,
    );
  return inOrder.slice(lost);
};

/**
 * Whether reading forward from a known-good position reaches this event. Unlike `eventAt`, throws
 * when the server is unavailable: cancellation is irreversible, so absence must be proven.
 */
const isFound = async (
  log: LostEventsOptions['log'],
  after: Position | undefined,
  { eventId, position }: UnfinishedDelivery,
): Promise<boolean> => {
  for await (const { events, through } of log.readAll({ after })) {
    if (events.some(({ id }) => publicEventId(id) === eventId)) return true;
    if (comparePositions(through, position) >= 0) return false;
  }
  return false;
};

const isInLog = async (
  log: LostEventsOptions['log'],
  { eventId, position }: UnfinishedDelivery,
): Promise<boolean> => {
  const event = await log.eventAt(position);
  return event !== undefined && publicEventId(event.id) === eventId;
};
