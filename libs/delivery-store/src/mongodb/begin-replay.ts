import { duplicateKey, ignoring } from '@refledger/mongodb';
import type { Collection } from 'mongodb';
import type { ReplayStart, RequestedReplay } from '../replay-store.js';
import { toNewDocument, toReplay, type ReplayDocument } from './replay-document.js';

/**
 * Begins a replay, unless one with its id exists or another to the same endpoint is running.
 * Resolves to the one that exists then.
 */
export const beginReplay = async (
  replays: Collection<ReplayDocument>,
  requested: RequestedReplay,
): Promise<ReplayStart> => {
  let isNew = false;
  // if the insert fails, there is one with its id, or one that is running, which may end before it
  // is read
  for (;;) {
    const inserted = await replays
      .insertOne(toNewDocument(requested))
      .catch(ignoring(duplicateKey));
    isNew ||= inserted !== undefined;
    const found =
      (await replays.findOne({ _id: requested.id })) ??
      (await replays.findOne({ endpoint_id: requested.endpointId, status: 'running' }));
    if (found !== null) return { replay: toReplay(found), isNew };
  }
};
