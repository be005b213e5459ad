import type { ThrottledReads } from '@refledger/application';
import {
  DomainError,
  laterOf,
  matchesKind,
  publicEventId,
  type EventFeedQuery,
  type Position,
} from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import { AccountEvents, type AccountEvent } from '@refledger/projections';
import { notFound } from '../own-record.js';
import type { ReadContext, ReadModels } from '../read-models.js';
import { feedRange, type FeedRangeParts } from './feed-range.js';
import { beginning, positionBefore } from './positions.js';
import { walkEvents, type WalkedEvents } from './walk-events.js';

/** Makes the bodies of events, as webhooks with whole records carry them. */
export interface EventBodies {
  /** As JSON text, up to the first event that this release cannot read. */
  makeAll(events: readonly LoggedEvent[]): Promise<{
    readonly bodies: readonly string[];
    /** Why the event after them has none. */
    readonly failure?: unknown;
  }>;
}

export interface EventFeedParts extends FeedRangeParts {
  readonly readModels: Pick<ReadModels, 'find'>;
  readonly throttledReads: Pick<ThrottledReads, 'batches'>;
  readonly bodies: EventBodies;
}

/** Some events of an account. */
export interface FeedPage extends Omit<WalkedEvents, 'events'> {
  /** The bodies of events, as JSON text. */
  readonly bodies: readonly string[];
}

/** The events of one account: found by the index of events, with bodies made from the log. */
export class EventFeed {
  constructor(private readonly parts: EventFeedParts) {}

  /**
   * One page of events. Throws `validation_failed` for a position that is not in the log, and
   * `unavailable` if this release cannot read the first event.
   */
  async page({
    query,
    ...context
  }: ReadContext & { readonly query: EventFeedQuery }): Promise<FeedPage> {
    const { caller } = context;
    const range = await feedRange(query, caller, this.parts);
    // the index may be behind the log, which has this position
    const index = this.index({ caller, minPosition: laterOf(context.minPosition, range.after) });
    const search = {
      accountId: caller.accountId,
      range,
      newestFirst: query.sort === '-position',
      limit: Number(query.limit ?? defaultLimit),
      isWanted: wantedBy(query),
    };
    const { events, ...walked } = await walkEvents(index, search, this.parts.throttledReads);
    const bodies = await this.bodiesOf(events);
    const last = events[bodies.length - 1];
    if (bodies.length === events.length || last === undefined) return { ...walked, bodies };
    return { ...walked, bodies, hasMore: true, next: last.position };
  }

  /** The body of one event. Throws `not_found`, also for another account's event. */
  async get(
    position: Position,
    { caller, minPosition }: ReadContext,
  ): Promise<{ readonly body: string; readonly reached: Position }> {
    if (await this.parts.consistency.isBeyondTheLog(position)) throw noEventAt(position);
    const index = this.index({ caller, minPosition: laterOf(minPosition, position) });
    const { events, reached = position } = await index.read({
      accountId: caller.accountId,
      after: positionBefore(position),
      through: position,
      limit: 1,
    });
    const [body] = position === beginning ? [] : await this.bodiesOf(events);
    if (body === undefined) throw noEventAt(position);
    return { body, reached };
  }

  private index(context: ReadContext): AccountEvents {
    const { readModels, consistency } = this.parts;
    return new AccountEvents(
      {
        find: (projection, _logId, collection, query) =>
          readModels.find(projection, collection, query, context),
      },
      consistency.logId,
    );
  }

  /** The bodies up to the first event that cannot be read; there is one unless there are no events. */
  private async bodiesOf(events: readonly AccountEvent[]): Promise<readonly string[]> {
    const logged = await Promise.all(events.map((event) => this.eventIn(event)));
    const { bodies, failure } = await this.parts.bodies.makeAll(logged);
    const [first] = events;
    if (failure !== undefined && bodies.length === 0 && first !== undefined)
      throw new DomainError(
        'unavailable',
        `This release cannot read the event at position ${first.position}. The operator finds the reason in the log of the service.`,
        {},
        { cause: failure },
      );
    return bodies;
  }

  private async eventIn({ position, eventId }: AccountEvent): Promise<LoggedEvent> {
    const event = await this.parts.log.eventAt(position);
    if (event === undefined || publicEventId(event.id) !== eventId)
      throw new Error(`the log has no event ${eventId} at position ${position}, but the index has`);
    return event;
  }
}

const defaultLimit = 25;

const wantedBy = ({
  types,
  affiliate_id,
}: EventFeedQuery): ((event: AccountEvent) => boolean) | undefined => {
  if (types === undefined && affiliate_id === undefined) return undefined;
  const patterns = types?.split(',') ?? ['*'];
  return ({ type, affiliateId }) =>
    matchesKind(patterns, type) && (affiliate_id === undefined || affiliateId === affiliate_id);
};

const noEventAt = (position: Position): DomainError => notFound('event at position', position);
