import { matchesKind } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import { idOf, nextVersion, type Version } from './versions.js';

export type { LoadRecord, Version } from './versions.js';

/** An event that an endpoint was subscribed to at the event's position. */
export interface ExpectedDelivery {
  readonly endpointId: string;
  /** The path of the receiver. */
  readonly path: string;
  readonly version: Version;
  /**
   * The endpoint was unsubscribed later, or enabled with drop, which cancels unfinished deliveries:
   * this one may have arrived.
   */
  readonly mayBeCanceled: boolean;
}

/**
 * The event log, interpreted here a second time from the contract's text, so that the service is
 * not compared with its own code.
 */
export interface History {
  /** By id of the record, oldest first. */
  readonly versions: ReadonlyMap<string, readonly Version[]>;
  /**
   * Events of records, endpoints and programs by the request that made them; without those that the
   * ledger adds on its own, to carry out runs and to note what was paid, and those that the
   * dispatcher adds about endpoints.
   */
  readonly ofRequest: ReadonlyMap<string, readonly LoggedEvent[]>;
  /** Target URLs of the endpoints that exist at the end, by id. */
  readonly endpoints: ReadonlyMap<string, string>;
  readonly expectedDeliveries: readonly ExpectedDelivery[];
  /** The position of the last event. */
  readonly position: string;
  /** The events of balances. */
  readonly postings: readonly LoggedEvent[];
}

/** Interprets the events of a log, given in log order. */
export const historyOf = (events: readonly LoggedEvent[]): History => {
  const versions = new Map<string, Version[]>();
  const ofRequest = new Map<string, LoggedEvent[]>();
  const endpoints = new Map<string, Subscription>();
  const wanted: (Omit<ExpectedDelivery, 'mayBeCanceled'> & {
    readonly subscription: Subscription;
    readonly drops: number;
  })[] = [];
  for (const event of events) {
    const isRecord = ofRecord.test(event.type);
    if (isWritten(event)) addTo(ofRequest, event.metadata.request_id, event);
    if (event.type.startsWith('webhook.')) follow(endpoints, event);
    if (!isRecord) continue;
    const id = idOf(event);
    const version = nextVersion(versions.get(id)?.at(-1), event, id);
    addTo(versions, id, version);
    for (const [endpointId, subscription] of endpoints) {
      if (matchesKind(subscription.kinds, event.type))
        wanted.push({
          endpointId,
          path: new URL(subscription.url).pathname,
          version,
          subscription,
          drops: subscription.drops,
        });
    }
  }
  return {
    versions,
    ofRequest,
    position: headOf(events),
    postings: events.filter(({ type }) => type.startsWith('balance.')),
    endpoints: new Map([...endpoints].map(([id, { url }]) => [id, url])),
    expectedDeliveries: wanted.map(({ subscription, drops, ...one }) => ({
      ...one,
      mayBeCanceled: subscription.ended || subscription.drops > drops,
    })),
  };
};

const headOf = (events: readonly LoggedEvent[]): string => events.at(-1)?.position ?? '0';

const ofRecord = /^(affiliate|conversion|adjustment|payout|payout_run)\./;

const isWritten = ({ type, metadata }: LoggedEvent): boolean =>
  metadata.actor !== 'ledger' &&
  metadata.actor !== 'webhook-dispatcher' &&
  (ofRecord.test(type) || type.startsWith('webhook.') || type === 'program.created');

const addTo = <T>(all: Map<string, T[]>, key: string, one: T): void => {
  const group = all.get(key);
  if (group === undefined) all.set(key, [one]);
  else group.push(one);
};

/** One endpoint, whose event types may change. It ends when it is unsubscribed. */
interface Subscription {
  url: string;
  kinds: readonly string[];
  ended: boolean;
  /** How often it was enabled with drop so far. */
  drops: number;
}

const follow = (endpoints: Map<string, Subscription>, { type, data }: LoggedEvent): void => {
  if (['webhook.secret_rotated', 'webhook.failing', 'webhook.recovered'].includes(type)) return;
  // Decoding boundary: libs/contracts/src/webhooks has the schemas of these events.
  const {
    endpoint_id: id,
    fields,
    held,
  } = data as {
    endpoint_id: string;
    held?: 'send' | 'drop';
    fields?: { target_url: string; events: readonly string[] };
  };
  const known = endpoints.get(id);
  if (fields === undefined) {
    if (known !== undefined) known.ended = true;
    endpoints.delete(id);
  } else if (type === 'webhook.subscribed' || known === undefined) {
    endpoints.set(id, { url: fields.target_url, kinds: fields.events, ended: false, drops: 0 });
  } else {
    known.url = fields.target_url;
    known.kinds = fields.events;
    if (held === 'drop') known.drops++;
  }
};
