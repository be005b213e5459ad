import type { StoredDocument } from '@refledger/read-store';
import { isSameLeaf, leavesOf } from '../format/leaves.js';

/** How a stored document is other than the one folded from the log. */
export type Difference =
  | { readonly kind: 'missing' | 'extra'; readonly id: string }
  | {
      readonly kind: 'field';
      readonly id: string;
      readonly field: string;
      readonly stored: unknown;
      readonly folded: unknown;
    };

export interface Compared {
  readonly id: string;
  /** How it differs, if it does. */
  readonly differences: readonly Difference[];
}

/** Goes through two collections, both in the order of ids, and yields every document of either. */
export async function* compareCollections(
  stored: AsyncIterable<StoredDocument>,
  folded: AsyncIterable<StoredDocument>,
): AsyncGenerator<Compared> {
  const [theirs, ours] = [stored[Symbol.asyncIterator](), folded[Symbol.asyncIterator]()];
  let [left, right] = [await theirs.next(), await ours.next()];
  while (left.done !== true || right.done !== true) {
    const order =
      left.done === true ? 1 : right.done === true ? -1 : compareIds(left.value.id, right.value.id);
    const there = order <= 0 && left.done !== true ? left.value : undefined;
    const made = order >= 0 && right.done !== true ? right.value : undefined;
    const either = there ?? made;
    if (either !== undefined)
      yield { id: either.id, differences: compareDocuments(either.id, there, made) };
    if (order <= 0) left = await theirs.next();
    if (order >= 0) right = await ours.next();
  }
}

/** How a document is stored, and how it is folded; a tombstone is none. */
export const compareDocuments = (
  id: string,
  stored: StoredDocument | undefined,
  folded: StoredDocument | undefined,
): readonly Difference[] => {
  const [theirs, ours] = [liveOf(stored), liveOf(folded)];
  if (theirs === undefined) return ours === undefined ? [] : [{ kind: 'missing', id }];
  return ours === undefined ? [{ kind: 'extra', id }] : compareFields(theirs, ours);
};

const liveOf = (stored: StoredDocument | undefined): StoredDocument | undefined =>
  stored?.document === null ? undefined : stored;

/** The fields in which they differ, and the position that they are of. */
const compareFields = (stored: StoredDocument, folded: StoredDocument): readonly Difference[] => {
  const [theirs, ours] = [
    leavesOf({ ...stored.document, '(position)': stored.position }),
    leavesOf({ ...folded.document, '(position)': folded.position }),
  ];
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((field) => !isSameLeaf(theirs.get(field), ours.get(field)))
    .map((field) => ({
      kind: 'field',
      id: stored.id,
      field,
      stored: theirs.get(field),
      folded: ours.get(field),
    }));
};

/** In the order of their UTF-8 bytes, which is that of the stores. */
const compareIds = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
