import type { StoredDocument } from '@refledger/read-store';
import { isSameLeaf, leavesOf } from '../format/leaves.js';

/** How a stored document differs from the document folded from the log. */
export type Difference =
  | { readonly kind: 'missing' | 'extra'; readonly id: string }
  | {
      readonly kind: 'field';
      readonly id: string;
      readonly field: string;
      readonly stored: unknown;
      readonly folded: unknown;
    };

/** One document of either collection, with its differences. */
export interface DocumentComparison {
  readonly id: string;
  /** The differences; empty when the documents are the same. */
  readonly differences: readonly Difference[];
}

/**
 * Walks through two collections in the order of ids, and yields every document that is in either.
 */
export async function* compareCollections(
  stored: AsyncIterable<StoredDocument>,
  folded: AsyncIterable<StoredDocument>,
): AsyncGenerator<DocumentComparison> {
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

/** The next document; undefined at the end. */
const nextOf = async (
  documents: AsyncIterator<StoredDocument>,
): Promise<StoredDocument | undefined> => {
  const next = await documents.next();
  return next.done === true ? undefined : next.value;
};

/** The lower id of the two by their UTF-8 bytes, which is the stores' order. */
const lowerId = (
  one: StoredDocument | undefined,
  other: StoredDocument | undefined,
): string | undefined => {
  if (one === undefined || other === undefined) return (one ?? other)?.id;
  return Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)) <= 0 ? one.id : other.id;
};

/**
 * The differences between the stored and the folded document. A tombstone counts as a missing
 * document.
 */
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

/** The fields in which the documents differ, including their positions. */
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
