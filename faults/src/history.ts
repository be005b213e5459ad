import type { LoggedEvent } from '@refledger/event-log';
import type { Adjustment, Affiliate, Conversion } from '@refledger/testing';
import { recordKinds } from './record-kinds.js';

/** A record whose events the writers cause. */
export type LoadRecord = Conversion | Adjustment | Affiliate;

/** A record as of one of its events. */
export interface Version {
  readonly event: LoggedEvent;
  readonly record: LoadRecord;
  readonly deleted: boolean;
}

/** An event that an endpoint was subscribed to at the event's position. */
export interface Wanted {
  readonly endpointId: string;
  /** The path of the receiver. */
  readonly path: string;
  readonly version: Version;
  /**
   * The endpoint was unsubscribed later, which cancels its waiting deliveries: this one may have
   * arrived.
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
  /** Events of records, endpoints and programs by the request that made them. */
  readonly ofRequest: ReadonlyMap<string, readonly LoggedEvent[]>;
  /** Target URLs of the endpoints that exist at the end, by id. */
  readonly endpoints: ReadonlyMap<string, string>;
  readonly wanted: readonly Wanted[];
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
  const wanted: (Omit<Wanted, 'mayBeCanceled'> & { readonly subscription: Subscription })[] = [];
  for (const event of events) {
    const isRecord = kinds.has(event.type);
    const isEndpoint = event.type.startsWith('webhook.');
    if (isRecord || isEndpoint || event.type === 'program.created')
      addTo(ofRequest, event.metadata.request_id, event);
    if (isEndpoint) follow(endpoints, event);
    if (!isRecord) continue;
    const id = idOf(event);
    const version = nextVersion(versions.get(id)?.at(-1), event, id);
    addTo(versions, id, version);
    for (const [endpointId, subscription] of endpoints) {
      if (subscription.kinds.includes(event.type))
        wanted.push({
          endpointId,
          path: new URL(subscription.url).pathname,
          version,
          subscription,
        });
    }
  }
  return {
    versions,
    ofRequest,
    position: headOf(events),
    postings: events.filter(({ type }) => type.startsWith('balance.')),
    endpoints: new Map([...endpoints].map(([id, { url }]) => [id, url])),
    wanted: wanted.map(({ subscription, ...one }) => ({
      ...one,
      mayBeCanceled: subscription.ended,
    })),
  };
};

const headOf = (events: readonly LoggedEvent[]): string => events.at(-1)?.position ?? '0';

const kinds: ReadonlySet<string> = new Set(recordKinds);

const addTo = <T>(all: Map<string, T[]>, key: string, one: T): void => {
  const group = all.get(key);
  if (group === undefined) all.set(key, [one]);
  else group.push(one);
};

/** One endpoint, whose event kinds may change. It ends when it is unsubscribed. */
interface Subscription {
  url: string;
  kinds: readonly string[];
  ended: boolean;
}

const follow = (endpoints: Map<string, Subscription>, { type, data }: LoggedEvent): void => {
  // Decoding boundary: libs/contracts/src/events has the schemas of these events.
  const { endpoint_id: id, fields } = data as {
    endpoint_id: string;
    fields?: { target_url: string; events: readonly string[] };
  };
  const known = endpoints.get(id);
  if (fields === undefined) {
    if (known !== undefined) known.ended = true;
    endpoints.delete(id);
  } else if (type === 'webhook.subscribed' || known === undefined) {
    endpoints.set(id, { url: fields.target_url, kinds: fields.events, ended: false });
  } else {
    known.kinds = fields.events;
  }
};

interface RecordData {
  readonly conversion_id?: string;
  readonly adjustment_id?: string;
  /** An adjustment's `payable_on` as it was sent, which its record does not show. */
  readonly reported_payable_on?: string | null;
  readonly affiliate_id: string;
  readonly program_id: string;
  readonly sale_currency?: string;
  readonly external_transaction_id?: string | null;
  /** What the decision on a conversion was based on, which its record does not show. */
  readonly basis?: unknown;
  readonly before?: unknown;
  readonly after?: Readonly<Record<string, unknown>>;
}

// Decoding boundary, as above.
const dataOf = (event: LoggedEvent): RecordData => event.data as RecordData;

const idOf = (event: LoggedEvent): string => {
  const { conversion_id, adjustment_id, affiliate_id } = dataOf(event);
  return conversion_id ?? adjustment_id ?? affiliate_id;
};

const nextVersion = (last: Version | undefined, event: LoggedEvent, id: string): Version => {
  const { after } = dataOf(event);
  const at = event.metadata.recorded_at;
  const record = {
    ...(last?.record ?? { ...constantsOf(event, id), created_at: at }),
    ...after,
    updated_at: at,
    revision: event.revision,
    ...(event.type.endsWith('.approved') && { approved_at: at }),
  };
  // every field of the record is listed above, in `constantsOf` or in `after`
  return {
    event,
    record: record as unknown as Version['record'],
    deleted: event.type === 'affiliate.deleted',
  };
};

/** The fields that the first event of a record holds, and those that begin as null. */
const constantsOf = (event: LoggedEvent, id: string): object => {
  const {
    before: _before,
    basis: _basis,
    after: _after,
    reported_payable_on: _reported,
    conversion_id,
    adjustment_id,
    ...about
  } = dataOf(event);
  if (conversion_id !== undefined)
    return { id, object: 'conversion', ...about, payout_id: null, approved_at: null };
  if (adjustment_id !== undefined) return { id, object: 'adjustment', ...about };
  return { id, object: 'affiliate', program_id: about.program_id, approved_at: null };
};
