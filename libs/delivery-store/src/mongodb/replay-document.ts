import type { IndexDescription } from 'mongodb';
import type { Position, ReplayId } from '@refledger/contracts';
import type { Replay, RequestedReplay } from '../replay-store.js';

/** A replay as MongoDB stores it. Positions are numbers, as in deliveries. */
export interface ReplayDocument {
  readonly _id: ReplayId;
  readonly account_id: Replay['accountId'];
  readonly endpoint_id: Replay['endpointId'];
  readonly log_id: Replay['logId'];
  readonly since: bigint;
  readonly until: bigint;
  readonly types: Replay['types'];
  readonly only: Replay['only'];
  readonly status: Replay['status'];
  readonly at: bigint;
  readonly decided_at: bigint;
  readonly planned: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly settled: boolean;
  readonly created_at: string;
  readonly finished_at?: string;
  /** When its deliveries were last counted. */
  readonly counted_at: string;
}

/** The indexes of replays. `running` allows one per endpoint. */
export const replayIndexes: readonly IndexDescription[] = [
  {
    name: 'running',
    key: { endpoint_id: 1 },
    unique: true,
    partialFilterExpression: { status: 'running' },
  },
  { name: 'of_endpoint', key: { endpoint_id: 1, created_at: 1, _id: 1 } },
  { name: 'unsettled', key: { counted_at: 1 }, partialFilterExpression: { settled: false } },
  {
    name: 'running_by_age',
    key: { created_at: 1 },
    partialFilterExpression: { status: 'running' },
  },
  { name: 'settled', key: { finished_at: 1 }, partialFilterExpression: { settled: true } },
];

/** A replay that begins. */
export const toNewDocument = (requested: RequestedReplay): ReplayDocument => ({
  _id: requested.id,
  account_id: requested.accountId,
  endpoint_id: requested.endpointId,
  log_id: requested.logId,
  since: BigInt(requested.since),
  until: BigInt(requested.until),
  types: requested.types,
  only: requested.only,
  status: 'running',
  at: BigInt(requested.since),
  decided_at: BigInt(requested.decidedAt),
  planned: 0,
  succeeded: 0,
  failed: 0,
  settled: false,
  created_at: requested.createdAt,
  counted_at: requested.createdAt,
});

/** Decodes a document, on the assumption that this store wrote it. */
export const toReplay = (document: ReplayDocument): Replay => ({
  id: document._id,
  accountId: document.account_id,
  endpointId: document.endpoint_id,
  logId: document.log_id,
  since: positionIn(document.since),
  until: positionIn(document.until),
  types: document.types,
  only: document.only,
  status: document.status,
  at: positionIn(document.at),
  decidedAt: positionIn(document.decided_at),
  planned: document.planned,
  succeeded: document.succeeded,
  failed: document.failed,
  isSettled: document.settled,
  createdAt: document.created_at,
  finishedAt: document.finished_at ?? null,
});

const positionIn = (stored: bigint): Position => stored.toString() as Position;
