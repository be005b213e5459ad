import {
  derivedId,
  DomainError,
  publicEventTypes,
  matchesKind,
  newId,
  validationError,
  type AccountId,
  type CreateReplay,
  type EndpointId,
  type ReplayId,
  type ReplayRecord,
} from '@refledger/contracts';
import type { Replay, ReplayQuery, RequestedReplay } from '@refledger/delivery-store';
import type { EndpointDocument } from '@refledger/projections';
import type { Consistency } from '@refledger/application';
import type { RecordRead } from '../history/record-queries.js';
import { notFound } from '../own-record.js';
import type { Deliveries } from './deliveries.js';
import type { EndpointReads } from './endpoint-reads.js';
import { beginning, replayRange, type ReplayRangeParts } from './replay-range.js';
import { replayRecord } from './replay-records.js';

/** A request to replay events to an endpoint. */
interface ReplayRequest extends RecordRead<EndpointId> {
  readonly body: CreateReplay;
  readonly idempotencyKey: string | undefined;
}

/** A request about a replay to an endpoint. */
interface ReplayRead extends RecordRead<EndpointId> {
  readonly ids: { readonly replay_id: ReplayId };
}

/** The replay that a request started, or found. */
interface StartedReplay {
  readonly replay: ReplayRecord;
  /** Whether an earlier request with the same `Idempotency-Key` started it. */
  readonly isRepeated: boolean;
}

interface ListedReplays {
  readonly records: readonly ReplayRecord[];
  /** Where the next page begins; undefined at the end of the list. */
  readonly next: ReplayQuery['after'];
}

export interface ReplaysParts extends ReplayRangeParts {
  readonly deliveries: Pick<Deliveries, 'read' | 'write'>;
  readonly endpoints: Pick<EndpointReads, 'get'>;
  readonly consistency: ReplayRangeParts['consistency'] & Pick<Consistency, 'logId'>;
}

type ReplaySelection = Pick<RequestedReplay, 'id' | 'since' | 'until' | 'types' | 'only'>;

/** Begins, shows and stops replays. A dispatcher makes their deliveries. */
export class Replays {
  constructor(private readonly parts: ReplaysParts) {}

  /**
   * Begins a replay. Throws `not_found` if the endpoint was deleted, `invalid_transition` if it is
   * gone, `replay_in_progress`, `validation_failed` and `idempotency_key_reused`.
   */
  async begin(request: ReplayRequest): Promise<StartedReplay> {
    const { deliveries, endpoints, commands, consistency } = this.parts;
    const { endpoint, position = beginning } = await endpoints.get(request);
    const asked = await this.asked(request);
    const earlier = await this.earlier(asked, request);
    if (earlier !== undefined) return { replay: replayRecord(earlier), isRepeated: true };
    requireReplayable(endpoint, asked);
    const requested: RequestedReplay = {
      ...asked,
      accountId: request.caller.accountId,
      endpointId: request.id,
      logId: consistency.logId,
      decidedAt: position,
      createdAt: commands.instant(),
    };
    const { replay, isNew } = await deliveries.write((store) => store.beginReplay(requested));
    if (replay.id !== asked.id) throw inProgress(replay.id);
    // two requests with the same key may come at once
    requireSame(replay, asked, request);
    return { replay: replayRecord(replay), isRepeated: !isNew };
  }

  /** One page of an endpoint's replays. Throws `not_found` if the caller has no such endpoint. */
  async list(read: RecordRead<EndpointId>, query: ReplayQuery): Promise<ListedReplays> {
    const { deliveries, endpoints } = this.parts;
    await endpoints.get(read);
    // one more tells whether more follow
    const wanted = { ...query, limit: query.limit + 1 };
    const found = await deliveries.read((reader) => reader.replays(wanted));
    const page = found.slice(0, query.limit);
    const last = found.length > page.length ? page.at(-1) : undefined;
    return { records: page.map(replayRecord), next: last && [last.createdAt, last.id] };
  }

  /** Throws `not_found` if the caller does not have the endpoint, or it has no such replay. */
  async get(read: ReplayRead): Promise<ReplayRecord> {
    const { caller, id, ids } = read;
    await this.parts.endpoints.get(read);
    const replay = await this.parts.deliveries.read((reader) => reader.replay(ids.replay_id));
    if (replay?.accountId !== caller.accountId || replay.endpointId !== id)
      throw notFound('replay', ids.replay_id);
    return replayRecord(replay);
  }

  /** Stops a replay if it is running. Throws `not_found`. */
  async stop(read: ReplayRead): Promise<void> {
    const { id, status } = await this.get(read);
    if (status !== 'running') return;
    const now = this.parts.commands.instant();
    await this.parts.deliveries.write((store) => store.stopReplay(id, now));
  }

  private async asked({ caller, body, idempotencyKey }: ReplayRequest): Promise<ReplaySelection> {
    return {
      id: idOf(caller.accountId, idempotencyKey),
      ...(await replayRange(body, caller, this.parts)),
      types: body.types === undefined ? null : [...new Set(body.types)],
      only: body.only,
    };
  }

  /** What an earlier request with the same key began; undefined if there was none. */
  private async earlier(
    asked: ReplaySelection,
    request: ReplayRequest,
  ): Promise<Replay | undefined> {
    if (request.idempotencyKey === undefined) return undefined;
    const earlier = await this.parts.deliveries.read((reader) => reader.replay(asked.id));
    if (earlier !== undefined) requireSame(earlier, asked, request);
    return earlier;
  }
}

/** A key is for one endpoint: with another one, it gives the same id. */
const idOf = (account: AccountId, key: string | undefined): ReplayId =>
  key === undefined ? newId('replay') : derivedId('replay', account, 'idempotency_key', key);

/** Throws unless events of these types can be sent to the endpoint, now or later. */
const requireReplayable = (
  { disabled, fields: { events } }: EndpointDocument['endpoint'],
  { types }: ReplaySelection,
): void => {
  const kinds = publicEventTypes.filter((kind) => matchesKind(events, kind));
  const issues = (types ?? []).flatMap((type, n) =>
    kinds.includes(type)
      ? []
      : [
          {
            path: `/types/${n}`,
            code: 'not_one_of',
            message: `types[${n}] is ${type}, but the endpoint does not subscribe to this type. Use one of: ${kinds.join(', ')}.`,
          },
        ],
  );
  if (issues.length > 0) throw validationError(issues);
  if (disabled?.reason === 'gone')
    throw new DomainError(
      'invalid_transition',
      'This endpoint is disabled because it responded with 410. Enable or pause it first.',
    );
};

/** Throws `idempotency_key_reused` unless a replay is the one that this request asks for. */
const requireSame = (
  replay: Replay,
  { since, until, types, only }: ReplaySelection,
  { id: endpointId, body }: ReplayRequest,
): void => {
  // without `until`, the request means the end of the log at its own time
  const isSame =
    replay.endpointId === endpointId &&
    replay.since === since &&
    (body.until === undefined || replay.until === until) &&
    replay.only === only &&
    JSON.stringify(replay.types) === JSON.stringify(types);
  if (isSame) return;
  throw new DomainError(
    'idempotency_key_reused',
    'This Idempotency-Key was already used for another replay. Use a new key.',
  );
};

const inProgress = (replay_id: ReplayId): DomainError =>
  new DomainError(
    'replay_in_progress',
    `The replay ${replay_id} to this endpoint is still running. Wait until it has finished, or stop it.`,
    { replay_id },
  );
