import {
  derivedId,
  DomainError,
  eventKinds,
  matchesKind,
  newId,
  validationError,
  type AccountId,
  type ReplayId,
} from '@refledger/contracts';
import type { Replay, RequestedReplay } from '@refledger/delivery-store';
import type { EndpointDocument } from '@refledger/projections';
import type { Consistency } from '@refledger/application';
import { notFound, beginning, replayRange, type ReplayRangeParts } from '@refledger/queries';
import type { ApiResponse, Call } from '../http/request/call.js';
import type { Deliveries } from './deliveries.js';
import type { EndpointReads } from './endpoint-reads.js';
import { replayListRequest } from './replay-list-request.js';

/** The replay that a request began, or found. */
export interface BegunReplay {
  readonly replay: Replay;
  /** Whether an earlier request with the same `Idempotency-Key` began it. */
  readonly isRepeated: boolean;
}

export interface ReplaysParts extends ReplayRangeParts {
  readonly deliveries: Pick<Deliveries, 'read' | 'write'>;
  readonly endpoints: Pick<EndpointReads, 'get'>;
  readonly consistency: ReplayRangeParts['consistency'] & Pick<Consistency, 'logId'>;
}

type Asked = Pick<RequestedReplay, 'id' | 'since' | 'until' | 'types' | 'only'>;

/** Begins, shows and stops replays. A dispatcher makes their deliveries. */
export class Replays {
  constructor(private readonly parts: ReplaysParts) {}

  /**
   * Begins a replay. Throws `not_found` if the endpoint was deleted, `invalid_transition` if it is
   * gone, `replay_in_progress`, `validation_failed` and `idempotency_key_reused`.
   */
  async begin(call: Call<'createReplay'>): Promise<BegunReplay> {
    const { deliveries, endpoints, commands, consistency } = this.parts;
    const { endpoint, position = beginning } = await endpoints.get(call);
    const asked = await this.asked(call);
    const earlier = await this.earlier(asked, call);
    if (earlier !== undefined) return { replay: earlier, isRepeated: true };
    requireReplayable(endpoint, asked);
    const requested: RequestedReplay = {
      ...asked,
      accountId: call.caller.accountId,
      endpointId: call.id,
      logId: consistency.logId,
      decidedAt: position,
      createdAt: commands.instant(),
    };
    const { replay, isNew } = await deliveries.write((store) => store.beginReplay(requested));
    if (replay.id !== asked.id) throw inProgress(replay.id);
    // two requests with the same key may come at once
    requireSame(replay, asked, call);
    return { replay, isRepeated: !isNew };
  }

  /** Throws `not_found` if the caller does not have the endpoint. */
  async list(call: Call<'listReplays'>): Promise<ApiResponse> {
    const { deliveries, endpoints } = this.parts;
    const request = replayListRequest(call.id, call.query);
    await endpoints.get(call);
    return request.response(await deliveries.read((reader) => reader.replays(request.query)));
  }

  /** Throws `not_found` if the caller does not have the endpoint, or it has no such replay. */
  async get(call: Call<'getReplay' | 'stopReplay'>): Promise<Replay> {
    const { caller, id, ids } = call;
    await this.parts.endpoints.get(call);
    const replay = await this.parts.deliveries.read((reader) => reader.replay(ids.replay_id));
    if (replay?.accountId !== caller.accountId || replay.endpointId !== id)
      throw notFound('replay', ids.replay_id);
    return replay;
  }

  /** Stops a replay if it is running. Throws `not_found`. */
  async stop(call: Call<'stopReplay'>): Promise<void> {
    const { id, status } = await this.get(call);
    if (status !== 'running') return;
    const now = this.parts.commands.instant();
    await this.parts.deliveries.write((store) => store.stopReplay(id, now));
  }

  private async asked({ caller, body, idempotencyKey }: Call<'createReplay'>): Promise<Asked> {
    return {
      id: idOf(caller.accountId, idempotencyKey),
      ...(await replayRange(body, caller, this.parts)),
      types: body.types === undefined ? null : [...new Set(body.types)],
      only: body.only,
    };
  }

  /** What an earlier request with the same key began; undefined if there was none. */
  private async earlier(asked: Asked, call: Call<'createReplay'>): Promise<Replay | undefined> {
    const { idempotencyKey: key, caller, id } = call;
    if (key === undefined) return undefined;
    const earlier = await this.parts.deliveries.read(
      async (reader) =>
        (await reader.replay(asked.id)) ??
        // an earlier release derived the id from the endpoint, too
        (await reader.replay(derivedId('replay', caller.accountId, id, 'idempotency_key', key))),
    );
    if (earlier !== undefined) requireSame(earlier, asked, call);
    return earlier;
  }
}

/** A key is for one endpoint: with another one, it gives the same id. */
const idOf = (account: AccountId, key: string | undefined): ReplayId =>
  key === undefined ? newId('replay') : derivedId('replay', account, 'idempotency_key', key);

/** Throws unless events of these types can be sent to the endpoint, now or later. */
const requireReplayable = (
  { disabled, fields: { events } }: EndpointDocument['endpoint'],
  { types }: Asked,
): void => {
  const kinds = eventKinds.filter((kind) => matchesKind(events, kind));
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
  { since, until, types, only }: Asked,
  { id: endpointId, body }: Call<'createReplay'>,
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
