import { duplicateKey, ignoring } from '@refledger/mongodb';
import type { Collection } from 'mongodb';
import type { KeyOwner, KeyReader, KeyStore } from '../key-store.js';
import type { ReadRows } from '../scan-pages.js';
import { toRow, toStored, type KeyDocument } from './key-document.js';

/** The methods that read keys. */
export const reading = (
  keys: Collection<KeyDocument>,
): Pick<KeyReader, 'getMany' | 'counts'> & {
  rows: ReadRows;
  claimedRows: (putBefore: string, ...page: Parameters<ReadRows>) => ReturnType<ReadRows>;
} => ({
  async getMany(owners) {
    const found = await keys
      .find({ _id: { $in: [...owners] } }, { projection: { claims: 0, put_at: 0 } })
      .toArray();
    return new Map(found.map((document) => [document._id, toStored(document)]));
  },

  async counts() {
    const erased = await keys.countDocuments({ erased_at: { $exists: true } });
    // one document is that of the store itself
    const keysLeft = (await keys.estimatedDocumentCount()) - 1 - erased;
    return { keys: Math.max(0, keysLeft), erased };
  },

  async rows(after, limit) {
    // every owner's id has a prefix, and so an underscore, which the id of the state has not
    const owners = { _id: { $regex: /_/, ...(after !== undefined && { $gt: after }) } };
    return (await keys.find(owners).sort({ _id: 1 }).limit(limit).toArray()).map(toRow);
  },

  async claimedRows(putBefore, after, limit) {
    const claimed = {
      claims: { $exists: true },
      put_at: { $lt: putBefore },
      ...(after !== undefined && { _id: { $gt: after } }),
    };
    return (await keys.find(claimed).sort({ _id: 1 }).limit(limit).toArray()).map(toRow);
  },
});

/**
 * The methods that change keys. Each changes one document in one step. An erasure that another call
 * made is taken from the committed ones, so that it is as durable as if this call had made it.
 */
export const writing = (
  keys: Collection<KeyDocument>,
  committed: Collection<KeyDocument>,
): Pick<KeyStore, 'put' | 'destroy' | 'rewrap' | 'forgetClaims'> => ({
  async put(owner, { accountId, key, claim, at }) {
    for (;;) {
      const found = await keys
        .findOneAndUpdate(
          activeRow(owner),
          {
            $setOnInsert: { account_id: accountId, key },
            $max: { put_at: at },
            ...(claim !== null && { $addToSet: { claims: claim } }),
          },
          { upsert: true, returnDocument: 'after' },
        )
        // the row is erased, or another put inserted it meanwhile
        .catch(ignoring(duplicateKey));
      const stored = found ?? (await committed.findOne(erasedRow(owner)));
      if (stored !== null) return toStored(stored);
    }
  },

  async destroy(affiliate, { accountId, eventId, position, erasedAt }) {
    for (;;) {
      const result = await keys
        .updateOne(
          activeRow(affiliate),
          {
            $set: { account_id: accountId, event_id: eventId, position, erased_at: erasedAt },
            $unset: { key: '', claims: '', put_at: '' },
          },
          { upsert: true },
        )
        // the row is erased, or a put inserted it meanwhile
        .catch(ignoring(duplicateKey));
      if (result !== undefined) return;
      if ((await committed.findOne(erasedRow(affiliate))) !== null) return;
    }
  },

  async forgetClaims(owner, claims, putAt) {
    await keys.updateOne({ _id: owner, put_at: putAt }, { $pullAll: { claims: [...claims] } });
    // a crash in between leaves a row without claims, which is looked at again
    await keys.updateOne({ _id: owner, claims: { $size: 0 } }, { $unset: { claims: '' } });
  },

  async rewrap(owner, from, to) {
    const { matchedCount } = await keys.updateOne({ _id: owner, key: from }, { $set: { key: to } });
    return matchedCount > 0;
  },
});

const activeRow = (owner: KeyOwner) => ({ _id: owner, erased_at: { $exists: false } });
const erasedRow = (owner: KeyOwner) => ({ _id: owner, erased_at: { $exists: true } });
