import type { AccountRecord } from '@refledger/contracts';
import type { Document } from '@refledger/read-store';
import { projectionOf } from './projection.js';

/** All accounts, as the API lists them. */
export const accountsProjection = projectionOf<'account', AccountDocument>(['account'], {
  name: 'accounts',
  version: 2,
  collections: [{ name: 'accounts', indexes: [{ fields: ['created_at', 'id'] }] }],
  keysOf: ({ data }) => [{ collection: 'accounts', id: data.account_id }],
  evolve: (_document, { data, metadata }) => ({
    record: {
      id: data.account_id,
      object: 'account',
      name: data.name,
      created_at: metadata.recorded_at,
    },
  }),
});

interface AccountDocument extends Document {
  readonly record: AccountRecord;
}
