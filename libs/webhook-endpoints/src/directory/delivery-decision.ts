import { comparePositions, type Position } from '@refledger/contracts';
import type { Delivery } from '@refledger/delivery-store';
import type { EndpointEvent, EndpointVersion } from './endpoint-version.js';

/** What is decided about a delivery that has not ended, from what is known of its endpoint. */
export type DeliveryDecision =
  { readonly to: 'send' | 'hold' } | { readonly to: 'cancel'; readonly reason: string };

/**
 * Judges a delivery by the latest version of its endpoint, which must be known up to where the
 * delivery was decided. Undefined means that the endpoint is not subscribed.
 */
export const decisionOf = (
  { trigger, decidedAt }: Pick<Delivery, 'trigger' | 'decidedAt'>,
  endpoint: EndpointVersion | undefined,
): DeliveryDecision => {
  if (endpoint === undefined) return { to: 'cancel', reason: reasons.unsubscribed };
  // a test shows what an endpoint does in any state
  if (trigger === 'test') return { to: 'send' };
  if (isBelow(decidedAt, endpoint.goneAt)) return { to: 'cancel', reason: reasons.gone };
  if (trigger === 'event' && isBelow(decidedAt, endpoint.droppedAt))
    return { to: 'cancel', reason: reasons.dropped };
  return { to: endpoint.status === 'enabled' ? 'send' : 'hold' };
};

/**
 * A change to the waiting or held deliveries of an endpoint: held ones may be sent, those that wait
 * for a retry are retried, or those decided below a position are held or canceled.
 */
export type DeliveriesChange =
  | { readonly to: 'send' | 'retry' }
  | { readonly to: 'held'; readonly decidedBelow: Position }
  | {
      readonly to: 'canceled';
      readonly decidedBelow: Position;
      readonly reason: string;
      /** Only deliveries with this trigger. Undefined: all. */
      readonly trigger?: 'event';
    };

/** What an event changes, in order. `before` is the endpoint's version before it. */
export const deliveriesChangesBy = (
  event: EndpointEvent,
  before: EndpointVersion | undefined,
): readonly DeliveriesChange[] => {
  const { position: decidedBelow } = event;
  const sent = before === undefined || before.status === 'enabled' ? [] : [{ to: 'send' } as const];
  switch (event.type) {
    case 'webhook.subscribed':
    case 'webhook.secret_rotated':
    case 'webhook.failing':
      return [];
    case 'webhook.recovered':
      return [{ to: 'retry' }];
    case 'webhook.updated':
      return event.data.status === 'enabled' ? sent : [];
    case 'webhook.paused':
      return [{ to: 'held', decidedBelow }];
    case 'webhook.enabled':
      return event.data.held === 'drop' ? [dropped(decidedBelow), ...sent] : sent;
    case 'webhook.disabled':
      return event.data.reason === 'gone'
        ? [{ to: 'canceled', decidedBelow, reason: reasons.gone }]
        : [{ to: 'held', decidedBelow }];
    case 'webhook.unsubscribed':
      return [{ to: 'canceled', decidedBelow, reason: reasons.unsubscribed }];
  }
};

/**
 * All changes to the deliveries of an endpoint that its latest version implies. If the endpoint is
 * not subscribed, it was unsubscribed at or below `followed`, or is subscribed only after that.
 */
export const deliveriesChangesOf = (
  endpoint: EndpointVersion | undefined,
  followed: Position | undefined,
): readonly DeliveriesChange[] => {
  if (endpoint === undefined)
    return followed === undefined
      ? []
      : [{ to: 'canceled', decidedBelow: followed, reason: reasons.unsubscribed }];
  const { goneAt, droppedAt, status, position } = endpoint;
  return [
    ...(goneAt === null
      ? []
      : [{ to: 'canceled', decidedBelow: goneAt, reason: reasons.gone } as const]),
    ...(droppedAt === null ? [] : [dropped(droppedAt)]),
    status === 'enabled' ? { to: 'send' } : { to: 'held', decidedBelow: position },
  ];
};

const dropped = (decidedBelow: Position): DeliveriesChange => ({
  to: 'canceled',
  decidedBelow,
  reason: reasons.dropped,
  trigger: 'event',
});

const reasons = {
  unsubscribed: 'the endpoint was unsubscribed',
  gone: 'the endpoint was disabled after a 410 Gone',
  dropped: 'dropped when the endpoint was enabled',
};

const isBelow = (position: Position, limit: Position | null): boolean =>
  limit !== null && comparePositions(position, limit) < 0;
