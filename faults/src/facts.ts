import type { LoggedEvent } from '@refledger/event-log';
import type {
  Adjustment,
  Affiliate,
  AffiliateStats,
  Conversion,
  Endpoint,
  Payout,
  PayoutRun,
  Replay,
} from '@refledger/testing';
import type { DeliveryStore } from '@refledger/delivery-store';
import type { Client } from './client.js';
import { historyOf, type History, type LoadRecord } from './history.js';
import type { Entry } from './ledger.js';
import type { Money } from './read-money.js';
import { openEvents } from './open-events.js';
import { PatientReader } from './patient-reader.js';
import type { Receipt } from './receipts.js';
import type { Subject } from './subject.js';
import type { Verifiable, Verification } from './verify.js';

/** The API's responses about every record in the log. */
export interface ReadState {
  /** By id, without those that return 404. */
  readonly records: ReadonlyMap<string, LoadRecord>;
  /** Walked page by page: newest first, and oldest first. */
  readonly conversions: readonly (readonly Conversion[])[];
  readonly adjustments: readonly (readonly Adjustment[])[];
  readonly payouts: readonly (readonly Payout[])[];
  readonly runs: readonly (readonly PayoutRun[])[];
  readonly affiliates: readonly (readonly Affiliate[])[];
  readonly endpoints: readonly Endpoint[];
  /** By affiliate. */
  readonly stats: ReadonlyMap<string, AffiliateStats>;
}

/** A delivery as the store has it. */
export interface StoredDelivery {
  readonly eventId: string;
  readonly endpointId: string;
  readonly trigger: string;
  readonly replayId: string | null;
  readonly status: string;
  readonly attempts: number;
  readonly unknown: number;
}

/** The actions of one round, and the differences in balances that were found after it. */
export interface RoundReport {
  readonly kills: number;
  /** Whether posting lost its checkpoint between kill and start. */
  readonly isCheckpointLost: boolean;
  /** Undefined if balances were not compared after this round. */
  readonly differences: readonly string[] | undefined;
}

/** Everything that the comparisons need at the end of a run. */
export interface Facts {
  readonly entries: readonly Entry[];
  readonly history: History;
  readonly responses: ReadState;
  readonly receipts: ReadonlyMap<string, Receipt>;
  /** By `X-Service-Delivery`. */
  readonly deliveries: ReadonlyMap<string, StoredDelivery>;
  /** Those to the endpoints that exist at the end. */
  readonly replays: readonly Replay[];
  readonly money: Money;
  /** By `ops verify`. */
  readonly verified: Readonly<Record<Verifiable, Verification>>;
  readonly rounds: readonly RoundReport[];
}

/** The facts of a run, with the events of the log instead of their interpretation. */
export interface RecordedRun extends Omit<Facts, 'history'> {
  readonly events: readonly LoggedEvent[];
}

export const factsOf = ({ events, ...read }: RecordedRun): Facts => ({
  ...read,
  history: historyOf(events),
});

/** Reads and interprets the whole event log. */
export const readHistory = async (subject: Subject): Promise<History> =>
  historyOf(await readEvents(subject));

/**
 * Reads the events of the log after those that are already known, with personal values in the
 * clear. Returns all of them.
 */
export const readEvents = async (
  subject: Subject,
  known: readonly LoggedEvent[] = [],
): Promise<readonly LoggedEvent[]> => {
  const log = await subject.openLog();
  try {
    const events: LoggedEvent[] = [];
    const after = known.at(-1)?.position;
    for await (const batch of log.readAll({ after })) events.push(...batch.events);
    return [...known, ...(await openEvents(events, await subject.keys()))];
  } finally {
    await log.close();
  }
};

/** Reads from the API every record in the log, its statistics, and all lists. */
export const readEverything = async (
  client: Client,
  { versions, position }: History,
): Promise<ReadState> => {
  const reader = new PatientReader(client, position);
  const records = new Map<string, LoadRecord>();
  const stats = new Map<string, AffiliateStats>();
  const asking = versions.keys();
  const readNext = async (): Promise<void> => {
    for (const id of asking) {
      const path = pathOf(id);
      const { status, body } = await client.get<LoadRecord>(path);
      if (status !== 200) continue;
      records.set(id, body);
      if (body.object === 'affiliate')
        stats.set(id, await reader.get<AffiliateStats>(`${path}/stats`));
    }
  };
  await Promise.all(Array.from({ length: 8 }, readNext));
  return {
    records,
    stats,
    conversions: [
      await reader.walk<Conversion>('/v1/conversions?limit=100'),
      await reader.walk<Conversion>('/v1/conversions?limit=37&sort=created_at'),
    ],
    adjustments: [
      await reader.walk<Adjustment>('/v1/adjustments?limit=100'),
      await reader.walk<Adjustment>('/v1/adjustments?limit=29&sort=created_at'),
    ],
    payouts: [
      await reader.walk<Payout>('/v1/payouts?limit=100'),
      await reader.walk<Payout>('/v1/payouts?limit=31&sort=created_at'),
    ],
    runs: [
      await reader.walk<PayoutRun>('/v1/payout-runs?limit=100'),
      await reader.walk<PayoutRun>('/v1/payout-runs?limit=11&sort=created_at'),
    ],
    affiliates: [
      await reader.walk<Affiliate>('/v1/affiliates?limit=100'),
      await reader.walk<Affiliate>('/v1/affiliates?limit=7&sort=created_at'),
    ],
    endpoints: await reader.walk<Endpoint>('/v1/webhooks?limit=2'),
  };
};

/** By the prefix of the id. */
const lists: Readonly<Record<string, string>> = {
  conv: 'conversions',
  adj: 'adjustments',
  pay: 'payouts',
  run: 'payout-runs',
  aff: 'affiliates',
};

const pathOf = (id: string): string => `/v1/${lists[id.split('_', 1)[0] ?? '']}/${id}`;

/** Reads every delivery to these endpoints. */
export const readDeliveries = async (
  store: DeliveryStore,
  endpoints: Iterable<string>,
): Promise<Map<string, StoredDelivery>> => {
  const found = new Map<string, StoredDelivery>();
  for (const endpoint of endpoints) {
    for (let after: string | undefined; ;) {
      // Decoding boundary: these are Refledger's own ids.
      const page = await store.list({
        endpointId: endpoint as `whk_${string}`,
        limit: 1_000,
        ...(after !== undefined && { after: after as `dlv_${string}` }),
      });
      for (const { id, attempts, attemptCount, ...kept } of page) {
        const { eventId, endpointId, trigger, replayId, status } = kept;
        found.set(id, {
          eventId,
          endpointId,
          trigger,
          replayId,
          status,
          attempts: attemptCount,
          unknown: attempts.filter(({ outcome }) => outcome === 'unknown').length,
        });
      }
      after = page.at(-1)?.id;
      if (after === undefined) break;
    }
  }
  return found;
};
