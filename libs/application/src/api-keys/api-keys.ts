import {
  newId,
  streams,
  type AccountId,
  type ApiKeysEvent,
  type KeyId,
  type Scope,
} from '@refledger/contracts';
import { apiKeysDecider, isLive, type ApiKeysCommand, type ApiKeysState } from '@refledger/domain';
import { decodeEvent, type EventLog, type LoadedStream } from '@refledger/event-log';
import type { AccountContext } from '../command-context.js';
import type { CommandHandler, Run } from '../command-handler.js';
import type { Outcome } from '../outcome.js';
import { hashOfApiKey, newApiKey } from './api-key.js';

/** Recognizes the API keys of requests. */
interface RecognisedKeys {
  /** Makes changes to an account's keys take effect. */
  refresh(account: AccountId): Promise<void>;
}

/** A key as it is asked for. */
interface CreatedKey {
  readonly name: string;
  readonly scope: Scope;
  readonly expires_at?: string | null | undefined;
  /** The scope of the key that makes the request. */
  readonly by: Scope;
}

/** Runs commands on the keys of an account. A change takes effect in this process immediately. */
export class ApiKeys {
  constructor(
    private readonly log: EventLog,
    private readonly commands: CommandHandler,
    private readonly registry: RecognisedKeys,
  ) {}

  load(account: AccountId): Promise<LoadedStream<ApiKeysState>> {
    return this.commands.load(apiKeysDecider, streams.keys(account));
  }

  /** Creates a key. `secret` is the key itself, which no one can read again later. */
  async create(
    context: AccountContext,
    { name, scope, by, expires_at }: CreatedKey,
  ): Promise<{ id: KeyId; secret: string; outcome: Outcome<ApiKeysState, ApiKeysEvent> }> {
    const id = newId('key');
    const secret = newApiKey(context.accountId);
    const key = { key_id: id, name, scope, by, expires_at, ...storedSecret(secret) };
    const outcome = await this.run(context, (_state, recordedAt) => ({
      type: 'create',
      ...key,
      recordedAt,
    }));
    return { id, secret, outcome };
  }

  /** Creates the key that the operator configured, unless it exists already or was revoked. */
  ensure(
    context: AccountContext,
    secret: string,
    name: string,
  ): Promise<Outcome<ApiKeysState, ApiKeysEvent>> {
    const key = { key_id: newId('key'), name, scope: 'operator', ...storedSecret(secret) } as const;
    return this.run(context, async (state) => ({
      type: 'ensure',
      ...key,
      existedBefore:
        isLive(key.hash, state) || (await wasCreated(this.log, context.accountId, key.hash)),
    }));
  }

  revoke(context: AccountContext, id: KeyId): Promise<Outcome<ApiKeysState, ApiKeysEvent>> {
    return this.run(context, { type: 'revoke', key_id: id });
  }

  private async run(
    context: AccountContext,
    command: Run<ApiKeysCommand, ApiKeysState, ApiKeysEvent>['command'],
  ): Promise<Outcome<ApiKeysState, ApiKeysEvent>> {
    const outcome = await this.commands.run({
      stream: streams.keys(context.accountId),
      decider: apiKeysDecider,
      command,
      context,
    });
    await this.registry.refresh(context.accountId);
    return outcome;
  }
}

const storedSecret = (secret: string): { hash: string; last4: string } => ({
  hash: hashOfApiKey(secret),
  last4: secret.slice(-4),
});

/**
 * Whether a key with this hash was ever created in an account, even if it is revoked now. Reads the
 * account's whole stream of keys, so it is meant for a start whose configured key is not live.
 */
const wasCreated = async (log: EventLog, account: AccountId, hash: string): Promise<boolean> => {
  for await (const events of log.readStream(streams.keys(account))) {
    for (const event of events.map(decodeEvent))
      if (event.type === 'key.created' && event.data.hash === hash) return true;
  }
  return false;
};
