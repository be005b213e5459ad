import type {
  AccountId,
  DeliveryId,
  DeliveryStatus,
  DeliveryTrigger,
  PublicEventType,
} from '@refledger/contracts';
import { keysOf } from '@refledger/contracts/values';
import type { DeliverySummary } from './delivery.js';

/** One page of an account's deliveries. Every filter that is given applies. */
export interface DeliveryQuery {
  readonly accountId: AccountId;
  readonly endpointId?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: PublicEventType | undefined;
  readonly eventId?: string | undefined;
  readonly objectId?: string | undefined;
  readonly trigger?: DeliveryTrigger | undefined;
  /** Only with the order `created_at`. Both exclude their instant. */
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
  /** Only with the order `finished_at`. It excludes this instant. */
  readonly finishedAfter?: string | undefined;
  readonly order: DeliveryOrder;
  /** The cursor of the last delivery of the page before this one. */
  readonly after?: DeliveryCursor | undefined;
  readonly limit: number;
}

/** The instant that orders a list. `finished_at` leaves out what is not finished. */
export interface DeliveryOrder {
  readonly by: 'created_at' | 'finished_at';
  readonly descending: boolean;
}

/** Where a delivery is in an order; the id separates deliveries with the same instant. */
export type DeliveryCursor = readonly [at: string, id: DeliveryId];

/** A page of a list. */
export interface DeliveryPage {
  readonly deliveries: readonly DeliverySummary[];
  /** Where the next page begins; undefined at the end of the list. */
  readonly next: DeliveryCursor | undefined;
}

/** The cursor of a delivery in a list in which it was found. */
export const cursorOf = (
  { id, createdAt, finishedAt }: DeliverySummary,
  by: DeliveryOrder['by'],
): DeliveryCursor => [by === 'created_at' ? createdAt : (finishedAt ?? ''), id];

/** The stored fields that a list compares. Both adapters call them by these names. */
type ComparedField =
  'account_id' | 'endpoint_id' | 'status' | 'event_type' | 'event_id' | 'object_id' | 'trigger';

/**
 * An index for lists: the fields that it compares, followed by its order and the id. A partial one
 * holds only what `only` names, which is little, so that other deliveries cost it nothing.
 */
export interface DeliveryIndex {
  readonly name: string;
  readonly by: readonly ComparedField[];
  readonly order: DeliveryOrder['by'];
  readonly only?: OnlyThose;
}

/** Deliveries with this value in a field, or with one that sorts after it as text. */
type OnlyThose =
  | { readonly field: ComparedField; readonly equals: string }
  | { readonly field: ComparedField; readonly above: string };

/**
 * A part of an index, in the order of a list. Adapters read no more than `limit` deliveries of it.
 */
export interface DeliveryRange extends Pick<DeliveryQuery, 'order' | 'after' | 'limit'> {
  /** Bounds of the instant that orders the list. Both exclude their instant. */
  readonly from: string | undefined;
  readonly until: string | undefined;
  readonly index: DeliveryIndex;
  /** The fields that the index compares. */
  readonly equal: readonly (readonly [field: ComparedField, value: string])[];
}

/**
 * The indexes of the lists of an endpoint and of an account, the most selective first. With them, a
 * page costs the same however many deliveries there are, if the list has at most one filter. An
 * event has one delivery per endpoint and a few that were asked for; a record has no more than its
 * revisions times that. An event and an endpoint belong to one account, so an index that compares
 * one of them need not compare the account.
 */
export const deliveryIndexes: readonly DeliveryIndex[] = [
  { name: 'list_by_event', by: ['event_id'], order: 'created_at' },
  { name: 'list_by_object', by: ['account_id', 'object_id'], order: 'created_at' },
  ...(['endpoint_id', 'account_id'] as const).flatMap((scope): readonly DeliveryIndex[] => {
    const name = scope.replace('_id', '');
    return [
      {
        name: `list_of_${name}_failed`,
        by: [scope, 'status'],
        order: 'finished_at',
        only: { field: 'status', equals: 'failed' },
      },
      { name: `list_of_${name}_finished`, by: [scope], order: 'finished_at' },
      {
        name: `list_of_${name}_by_trigger`,
        by: [scope, 'trigger'],
        order: 'created_at',
        // every trigger but `event` sorts after it
        only: { field: 'trigger', above: 'event' },
      },
      { name: `list_of_${name}_by_status`, by: [scope, 'status'], order: 'created_at' },
      { name: `list_of_${name}_by_type`, by: [scope, 'event_type'], order: 'created_at' },
      { name: `list_of_${name}`, by: [scope], order: 'created_at' },
    ];
  }),
];

/** How a list is read: a range, and the filters that its index does not compare. */
export interface DeliveryQueryPlan {
  readonly range: DeliveryRange;
  readonly others: readonly (keyof DeliveryQuery & keyof DeliverySummary)[];
}

/** Plans a query: the first index that serves it is the most selective one. */
export const planOf = (query: DeliveryQuery): DeliveryQueryPlan => {
  const { order, after, limit } = query;
  const serves = ({ by, order: of, only }: DeliveryIndex): boolean =>
    by.every((field) => query[properties[field]] !== undefined) &&
    (of === order.by || isSmall(by)) &&
    (only === undefined || holds(only, query[properties[only.field]]));
  const index = deliveryIndexes.find(serves);
  if (index === undefined) throw new TypeError('every list must name at least an account');
  const equal = index.by.map((field) => [field, query[properties[field]] ?? ''] as const);
  const others = keysOf(properties)
    .filter((field) => field !== 'account_id' && !index.by.includes(field))
    .map((field) => properties[field])
    .filter((property) => query[property] !== undefined);
  return { range: { index, equal, ...boundsOf(query), order, after, limit }, others };
};

/**
 * What is not finished has no `finished_at`, so a list by it always begins after the empty text.
 */
const boundsOf = (query: DeliveryQuery): Pick<DeliveryRange, 'from' | 'until'> =>
  query.order.by === 'finished_at'
    ? { from: query.finishedAfter ?? '', until: undefined }
    : { from: query.createdAfter, until: query.createdBefore };

/** What adapters call the properties of a delivery. */
const properties = {
  account_id: 'accountId',
  endpoint_id: 'endpointId',
  status: 'status',
  event_type: 'eventType',
  event_id: 'eventId',
  object_id: 'objectId',
  trigger: 'trigger',
} as const satisfies Readonly<Record<ComparedField, keyof DeliverySummary>>;

/** Whether an index finds so few deliveries that they can be sorted. */
const isSmall = (by: DeliveryIndex['by']): boolean =>
  by.includes('event_id') || by.includes('object_id');

const holds = (only: OnlyThose, value: string | undefined): boolean =>
  value !== undefined && ('equals' in only ? value === only.equals : value > only.above);
