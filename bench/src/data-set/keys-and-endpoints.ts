import { randomBytes, randomUUID } from 'node:crypto';
import {
  newId,
  streams,
  type AccountId,
  type DomainEvent,
  type StreamName,
} from '@refledger/contracts';
import { encodeEvent, type EventLog } from '@refledger/event-log';
import { openSecretBox } from '@refledger/sealing';
import { secretsKeyIn } from './data-set-keys.js';

/** The number of keys, and of endpoints, per account. An account may have no more endpoints. */
const perAccount = 100;

/**
 * Appends `count` keys and as many endpoints to a directory's new log, for as many accounts as that
 * takes.
 */
export const writeKeysAndEndpoints = async (
  directory: string,
  log: EventLog,
  count: number,
): Promise<void> => {
  const secret = openSecretBox([await secretsKeyIn(directory)]).seal('a secret of every endpoint');
  const accounts = Array.from({ length: Math.ceil(count / perAccount) }, () => newId('account'));
  await Promise.all(
    accounts.flatMap((account, n) => [
      append(log, account, streams.keys(account), each(keyCreated)),
      append(
        log,
        account,
        streams.webhooks(account),
        each((m) => subscribed(`https://receiver.example/${n}/${m}`, secret)),
      ),
    ]),
  );
};

const each = (make: (n: number) => DomainEvent): readonly DomainEvent[] =>
  Array.from({ length: perAccount }, (_, n) => make(n));

const keyCreated = (): DomainEvent => ({
  type: 'key.created',
  data: {
    key_id: newId('key'),
    name: 'a key',
    scope: 'admin',
    hash: randomBytes(32).toString('hex'),
    last4: 'abcd',
  },
});

const subscribed = (url: string, secret: string): DomainEvent => ({
  type: 'webhook.subscribed',
  data: {
    endpoint_id: newId('endpoint'),
    fields: {
      target_url: url,
      target_key: url,
      events: ['conversion.created'],
      description: null,
      secret,
      payload: 'full',
      max_per_second: null,
    },
  },
});

const append = async (
  log: EventLog,
  account: AccountId,
  stream: StreamName,
  events: readonly DomainEvent[],
): Promise<void> => {
  const metadata = {
    account_id: account,
    actor: 'bench',
    request_id: 'bench',
    recorded_at: new Date().toISOString(),
  };
  await log.append(
    stream,
    events.map((event) => encodeEvent(event, randomUUID(), metadata)),
    'no stream',
  );
};
