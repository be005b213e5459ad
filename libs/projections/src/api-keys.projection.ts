import type { AccountId, ApiKeysEvent, KeyId, Recorded, Scope } from '@refledger/contracts';
import type { Document } from '@refledger/read-store';
import { streamEnd } from './stream-end.js';
import type { Projection } from './projection.js';

/**
 * The live keys of all accounts, so that a start need not read the events of all keys that ever
 * existed. Also the last event of each account's stream, from which reading continues.
 */
export const apiKeysProjection: Projection = {
  name: 'api_keys',
  version: 1,
  collections: [
    { name: 'keys', indexes: [] },
    { name: 'streams', indexes: [] },
  ],
  keysOf: (event) =>
    isKeyEvent(event)
      ? [
          { collection: 'keys', id: event.data.key_id },
          { collection: 'streams', id: event.stream },
        ]
      : [],
  evolve: (_document, event, { collection }) => {
    if (!isKeyEvent(event)) return undefined;
    if (collection === 'streams') return streamEnd(event);
    return event.type === 'key.created' ? keyDocument(event) : null;
  },
};

/** A live key. */
export interface ApiKeyDocument extends Document {
  readonly id: KeyId;
  readonly account_id: AccountId;
  readonly name: string;
  readonly scope: Scope;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  readonly last4: string;
  readonly created_at: string;
}

type KeyEvent = Recorded<ApiKeysEvent>;
const isKeyEvent = (event: Recorded): event is KeyEvent =>
  event.type === 'key.created' || event.type === 'key.revoked';

const keyDocument = ({
  data: { key_id, name, scope, hash, last4 },
  metadata,
}: Extract<KeyEvent, { type: 'key.created' }>): ApiKeyDocument => ({
  id: key_id,
  account_id: metadata.account_id as AccountId,
  name,
  scope,
  hash,
  last4,
  created_at: metadata.recorded_at,
});
