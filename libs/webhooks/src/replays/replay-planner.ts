import {
  comparePositions,
  derivedId,
  laterOf,
  toInstant,
  type LogId,
  type Position,
} from '@refledger/contracts';
import {
  type Clock,
  type EndpointDirectory,
  type EndpointVersion,
  decisionOf,
} from '@refledger/webhook-endpoints';
import type { EndpointTracker } from '../endpoint-tracker.js';
import type { RateLimiter } from '../scheduling/rate-limiter.js';
import type { Scheduler } from '../scheduling/scheduler.js';
import type { PlannedDelivery, Replay, ReplayStore } from '@refledger/delivery-store';
import type { EventIndex, IndexedEvent } from './event-index.js';
import { shouldSend, isWanted } from './replayed-events.js';

export interface ReplayPlannerOptions {
  readonly log: { readonly id: LogId };
  readonly store: Pick<
    ReplayStore,
    'stopReplay' | 'planReplay' | 'countReplaying' | 'countWaiting' | 'deliveriesOf'
  >;
  readonly events: EventIndex;
  readonly directory: Pick<EndpointDirectory, 'latest' | 'reached'>;
  readonly tracker: Pick<EndpointTracker, 'followTo' | 'changeOf' | 'recheck'>;
  readonly rates: Pick<RateLimiter, 'perSecond'>;
  readonly scheduler: Pick<Scheduler, 'enqueue'>;
  /** How far the planner has got. A replay reads no further: newer events are the planner's. */
  readonly planned: { readonly position: Position | undefined };
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Makes the deliveries of replays, a few seconds' worth ahead of what is sent, from the index of an
 * account's events.
 */
export class ReplayPlanner {
  constructor(private readonly options: ReplayPlannerOptions) {}

  /**
   * Makes the next deliveries of a replay, or stops it. Resolves to whether it has read events and
   * may read more at once.
   */
  async advance(replay: Replay): Promise<boolean> {
    const { log, directory } = this.options;
    if (replay.logId !== log.id) return this.stop(replay);
    if (!(await this.isKnown(replay.decidedAt))) return false;
    const endpoint = directory.latest(replay.endpointId);
    const { to } = decisionOf({ trigger: 'replay', decidedAt: replay.decidedAt }, endpoint);
    if (endpoint === undefined || to === 'cancel') return this.stop(replay);
    return to === 'send' && this.plan(replay, endpoint);
  }

  /** Stops a replay. Its deliveries are canceled if its endpoint is gone or deleted. */
  private async stop({ id, endpointId }: Replay): Promise<false> {
    const { store, tracker, clock } = this.options;
    await store.stopReplay(id, toInstant(clock.now()));
    await tracker.changeOf(endpointId);
    return false;
  }

  /** Whether the endpoints are followed to a position. A restored log may not have it. */
  private async isKnown(position: Position): Promise<boolean> {
    const { directory, tracker } = this.options;
    const isReached = (): boolean =>
      directory.reached !== undefined && comparePositions(directory.reached, position) >= 0;
    if (!isReached()) await tracker.followTo();
    return isReached();
  }

  private async plan(replay: Replay, endpoint: EndpointVersion): Promise<boolean> {
    const { store, scheduler, rates, tracker, clock } = this.options;
    const { id, accountId, endpointId, at, until } = replay;
    const ahead = minAhead + 2 * rates.perSecond(endpointId, 'catch-up');
    const most = ahead + maxRetrying;
    const [replaying, waiting] = await Promise.all([
      store.countReplaying(endpointId, ahead),
      store.countWaiting(id, most),
    ]);
    const room = ahead - replaying;
    if (room <= 0 || waiting >= most) return false;
    const page = await this.read({ accountId, after: at, through: until });
    const chosen = await this.choose(replay, endpoint, page.events);
    const cut = chosen.length > room ? chosen[room - 1] : undefined;
    const reached = cut?.position ?? page.reached;
    const isLast = comparePositions(reached, until) >= 0;
    if (reached === at && !isLast) return false;
    const deliveries = chosen.slice(0, room).map((event) => deliveryOf(replay, endpoint, event));
    const step = { replay: { id, at }, deliveries, reached, isLast };
    const isPlanned = await store.planReplay(step, toInstant(clock.now()));
    if (deliveries.length > 0) {
      scheduler.enqueue([endpointId], 'replay');
      // the endpoint may have changed meanwhile
      await tracker.recheck(deliveries, 'waiting');
    }
    return isPlanned && !isLast;
  }

  /** The account's next events that are planned, and the position up to which all are known. */
  private async read(range: Omit<Parameters<EventIndex['read']>[0], 'limit'>): Promise<{
    readonly events: readonly IndexedEvent[];
    readonly reached: Position;
  }> {
    const { planned, events } = this.options;
    const through = earlierOf(range.through, planned.position ?? range.after);
    if (comparePositions(through, range.after) <= 0) return { events: [], reached: range.after };
    const found = await events.read({ ...range, through, limit: pageSize });
    const known = earlierOf(through, found.reached ?? range.after);
    const last = found.events.length === pageSize ? found.events.at(-1)?.position : known;
    return { events: found.events, reached: laterOf(range.after, last) ?? range.after };
  }

  private async choose(
    replay: Replay,
    endpoint: EndpointVersion,
    events: readonly IndexedEvent[],
  ): Promise<readonly IndexedEvent[]> {
    const wanted = events.filter(isWanted(replay, endpoint));
    if (wanted.length === 0) return [];
    const ids = wanted.map(({ eventId }) => eventId);
    const known = await this.options.store.deliveriesOf(replay.endpointId, ids);
    return wanted.filter(({ eventId }) =>
      shouldSend(
        replay,
        known.filter((delivery) => delivery.eventId === eventId),
      ),
    );
  }
}

const deliveryOf = (
  { id: replayId, accountId, endpointId }: Replay,
  { position: decidedAt, payload }: EndpointVersion,
  { eventId, type: eventType, objectId, position }: IndexedEvent,
): PlannedDelivery => ({
  id: derivedId('delivery', replayId, eventId, endpointId),
  accountId,
  endpointId,
  eventId,
  eventType,
  objectId,
  trigger: 'replay',
  replayId,
  position,
  decidedAt,
  payload,
  // made from the log when it is first sent
  body: null,
  status: 'waiting',
  reason: null,
});

const earlierOf = (a: Position, b: Position): Position => (comparePositions(a, b) < 0 ? a : b);

/** Events read in one step. Few, since other work waits for the stores meanwhile. */
const pageSize = 20;
/** How many deliveries may wait for their turn, in addition to two seconds' worth. */
const minAhead = 100;
/** While about this many deliveries of a replay wait for a retry, no more are made. */
const maxRetrying = 1_000;
