import type { AccountRecord } from '@refledger/contracts';
import type { Document } from '@refledger/read-store';
import type { Projection } from './projection.js';

/** All accounts. Each document is the API's record. */
export const accountsProjection: Projection = {
  name: 'accounts',
  version: 1,
  collections: [{ name: 'accounts', indexes: [{ fields: ['created_at', 'id'] }] }],
  keysOf: (event) =>
    event.type === 'account.created' ? [{ collection: 'accounts', id: event.data.account_id }] : [],
  evolve: (_document, event) =>
    event.type === 'account.created'
      ? ({
          id: event.data.account_id,
          object: 'account',
          name: event.data.name,
          created_at: event.metadata.recorded_at,
        } satisfies AccountRecord)
      : undefined,
};

/** Returns the API's record of a document. */
export const accountFromDocument = (document: Document): AccountRecord => document as AccountRecord;
