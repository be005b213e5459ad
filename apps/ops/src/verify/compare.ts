import type { StoredDocument } from '@refledger/read-store';
import { isSameLeaf, leavesOf } from '../format/leaves.js';

/** How a stored document is other than the one folded from the log. */
export type Difference =
  | { readonly kind: 'missing' | 'extra'; readonly id: string }
  | { readonly kind: 'field'; readonly id: string; readonly field: string; readonly stored: unknown; readonly folded: unknown };

/** Goes through two collections, both in the order of ids, and yields for every document how it differs, if it does. */
export async function* compareCollections(stored: AsyncIterable<StoredDocument>, folded: AsyncIterable<StoredDocument>): AsyncGenerator<readonly Difference[]> {
  const [theirs, ours] = [stored[Symbol.asyncIterator](), folded[Symbol.asyncIterator]()];
  let [left, right] = [await theirs.next(), await ours.next()];
  while (left.done !== true || right.done !== true) {
    const order = left.done === true ? 1 : right.done === true ? -1 : compareIds(left.value.id, right.value.id);
    if (order < 0 && left.done !== true) yield [{ kind: 'extra', id: left.value.id }];
    if (order > 0 && right.done !== true) yield [{ kind: 'missing', id: right.value.id }];
    if (order === 0 && left.done !== true && right.done !== true) yield compareDocuments(left.value, right.value);
    if (order <= 0) left = await theirs.next();
    if (order >= 0) right = await ours.next();
  }
}

/** The fields in which two documents of one id differ, and the position that they are of. */
export const compareDocuments = (stored: StoredDocument, folded: StoredDocument): readonly Difference[] => {
  const [theirs, ours] = [leavesOf({ ...stored.document, '(position)': stored.position }), leavesOf({ ...folded.document, '(position)': folded.position })];
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((field) => !isSameLeaf(theirs.get(field), ours.get(field)))
    .map((field) => ({ kind: 'field', id: stored.id, field, stored: theirs.get(field), folded: ours.get(field) }));
};

/** In the order of their UTF-8 bytes, which is that of the stores. */
const compareIds = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
