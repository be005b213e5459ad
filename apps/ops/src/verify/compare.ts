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
  let [left, right] = [await nextOf(theirs), await nextOf(ours)];
  for (let id = lowerId(left, right); id !== undefined; id = lowerId(left, right)) {
    const there = left?.id === id ? left : undefined;
    const made = right?.id === id ? right : undefined;
    yield { id, differences: compareDocuments(id, there, made) };
    if (there !== undefined) left = await nextOf(theirs);
    if (made !== undefined) right = await nextOf(ours);
  }
}

/** Undefined at the end. */
const nextOf = async (
  documents: AsyncIterator<StoredDocument>,
): Promise<StoredDocument | undefined> => {
  const next = await documents.next();
  return next.done === true ? undefined : next.value;
};

/** The id that comes first of the two, in the order of their UTF-8 bytes, which is that of the stores. */
const lowerId = (
  one: StoredDocument | undefined,
  other: StoredDocument | undefined,
): string | undefined => {
  if (one === undefined || other === undefined) return (one ?? other)?.id;
  return Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)) <= 0 ? one.id : other.id;
};

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
