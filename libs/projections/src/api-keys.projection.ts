import { accountOf, apiKeyList, type ApiKeysEvent, type RecordedEvent } from '@refledger/contracts';
import { apiKeyRecord } from '@refledger/domain';
import { streamEnd, type StreamEndDocument } from './stream-end.js';
import { indexesOf, projectionOf, type RecordDocument } from './projection.js';

/** For lists of keys that expire before a time, in the order of expiry. */
const byExpiry = indexesOf({ ...apiKeyList, order: ['expires_at', 'id'] });

/**
 * The live keys of all accounts, as the API lists them, with their hashes, so that a start need not
 * read the events of all keys that ever existed. Also the last event of each account's stream, from
 * which reading continues.
 */
export const apiKeysProjection = projectionOf<'keys', ApiKeyDocument | StreamEndDocument>(
  ['keys'],
  {
    name: 'api_keys',
    version: 3,
    collections: [
      { name: 'keys', indexes: [...indexesOf(apiKeyList), ...byExpiry] },
      { name: 'streams', indexes: [] },
    ],
    keysOf: ({ data, stream }) => [
      { collection: 'keys', id: data.key_id },
      { collection: 'streams', id: stream },
    ],
    evolve: (_document, event, { collection }) => {
      if (collection === 'streams') return streamEnd(event);
      return event.type === 'key.created' ? keyDocument(event) : null;
    },
  },
);

export interface ApiKeyDocument extends RecordDocument<ReturnType<typeof apiKeyRecord>> {
  /** SHA-256 of the key, hex. */
  readonly hash: string;
}

type KeyCreated = Extract<RecordedEvent<ApiKeysEvent>, { type: 'key.created' }>;

const keyDocument = (event: KeyCreated): ApiKeyDocument => ({
  account_id: accountOf(event),
  hash: event.data.hash,
  record: apiKeyRecord(event.data.key_id, {
    ...event.data,
    created_at: event.metadata.recorded_at,
    expires_at: event.data.expires_at ?? null,
  }),
});
