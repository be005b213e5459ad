import { toPosition, type Checkpoint, type Position } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import type {
  Build,
  BuildChanges,
  ChangedDocument,
  Document,
  Query,
  StoredDocument,
  ProjectionSpec,
} from '../read-store.js';

export const logId = 'log-1';

export const sales: ProjectionSpec = {
  name: 'sales',
  version: 1,
  collections: [
    {
      name: 'sales',
      indexes: [
        { fields: ['account_id', 'status', 'created_at', 'id'] },
        {
          fields: ['account_id', 'status', 'paid', 'created_at', 'id'],
          lowCardinality: ['status', 'paid'],
        },
        { fields: ['account_id', 'created_at', 'id'] },
        { fields: ['account_id', 'paid', 'amount', 'id'] },
        { fields: ['account_id', 'payout_id', 'created_at', 'id'], sparse: ['payout_id'] },
        { fields: ['account_id', 'tags', 'created_at', 'id'], multikey: 'tags' },
      ],
    },
  ],
};

export const positionOf = (position: number | string): Position =>
  present(toPosition(String(position)));
export const checkpoint = (position: number | string): Checkpoint => ({
  logId,
  position: positionOf(position),
  eventId: `event-${position}`,
});

/** A pending sale of `acct_1`, with some fields changed. */
export const sale = (id: string, fields: Document = {}): Document => ({
  id,
  account_id: 'acct_1',
  status: 'pending',
  created_at: '2026-01-01T00:00:00.000Z',
  paid: false,
  amount: 1,
  ...fields,
});

export const stored = (
  id: string,
  position: number | string,
  document: Document | null = sale(id),
): StoredDocument => ({ id, position: positionOf(position), document });

/** The document as made from one that was read at position `read`. */
export const madeFrom = (read: number | string, document: StoredDocument): ChangedDocument => ({
  ...document,
  readPosition: positionOf(read),
});

/**
 * Changes of `sales` that bring its checkpoint to `position`. Documents are new unless made with
 * `over`.
 */
export const changes = (
  build: Build,
  position: number | string,
  ...documents: readonly (StoredDocument | ChangedDocument)[]
): BuildChanges => ({
  build,
  documents: new Map([
    ['sales', documents.map((document) => ({ readPosition: undefined, ...document }))],
  ]),
  checkpoint: checkpoint(position),
});

export const newest: Query = {
  where: [{ field: 'account_id', equals: 'acct_1' }],
  order: { fields: ['created_at', 'id'], descending: true },
  limit: 100,
};
