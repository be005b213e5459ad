import { comparePositions, type Position, type Recorded } from '@refledger/contracts';
import { messageOf } from '@refledger/event-log';
import type { Build, ReadStore, StoredDocument } from '@refledger/read-store';
import type { DocumentKey, View } from '../view.js';

/** A build and the code that keeps it, which is of the build's own version. */
export interface KeptBuild {
  readonly view: View;
  readonly build: Build;
}

/** Documents by collection and id. */
export type Documents = ReadonlyMap<string, ReadonlyMap<string, StoredDocument>>;

/** Which documents a batch touches, one entry an event that touches any, in the log's order. */
export type Touches = readonly { readonly event: Recorded; readonly keys: readonly DocumentKey[] }[];

/** An event that a view's code failed on. */
export class FoldFailure extends Error {
  constructor(
    readonly event: Recorded,
    view: string,
    cause: unknown,
  ) {
    super(`the view ${view} failed on it: ${messageOf(cause)}`, { cause });
    this.name = 'FoldFailure';
  }
}

/** The documents that events past `after` touch. Throws `FoldFailure`. */
export const touchesOf = ({ view }: KeptBuild, events: readonly Recorded[], after: Position | undefined): Touches => {
  const touches: { event: Recorded; keys: readonly DocumentKey[] }[] = [];
  for (const event of events) {
    if (after !== undefined && comparePositions(event.position, after) <= 0) continue;
    const keys = failing(view, event, () => view.keysOf(event));
    if (keys.length > 0) touches.push({ event, keys });
  }
  return touches;
};

/** The documents as the store has them, with one load a collection. */
export const loadTouched = async (store: ReadStore, { build }: KeptBuild, touches: Touches): Promise<Documents> => {
  const wanted = new Map<string, Set<string>>();
  for (const { keys } of touches) {
    for (const { collection, id } of keys) {
      const ids = wanted.get(collection);
      if (ids === undefined) wanted.set(collection, new Set([id]));
      else ids.add(id);
    }
  }
  const loaded = new Map<string, ReadonlyMap<string, StoredDocument>>();
  for (const [collection, ids] of wanted) {
    const documents = await store.load(build, collection, [...ids]);
    loaded.set(collection, new Map(documents.map((document) => [document.id, document])));
  }
  return loaded;
};

/** The documents that the events change, as they are after them. An event at or before a document's own position changes nothing. Throws `FoldFailure`. */
export const foldTouched = ({ view }: KeptBuild, touches: Touches, loaded: Documents): ReadonlyMap<string, readonly StoredDocument[]> => {
  const changed = new Map<string, Map<string, StoredDocument>>();
  for (const { event, keys } of touches) {
    for (const key of keys) {
      const { collection, id } = key;
      const before = changed.get(collection)?.get(id) ?? loaded.get(collection)?.get(id);
      if (before !== undefined && (before.document === null || comparePositions(event.position, before.position) <= 0)) continue;
      const document = failing(view, event, () => view.evolve(before?.document ?? undefined, event, key));
      if (document === undefined) continue;
      const ofCollection = changed.get(collection) ?? new Map<string, StoredDocument>();
      changed.set(collection, ofCollection.set(id, { id, position: event.position, document }));
    }
  }
  return new Map([...changed].map(([collection, documents]) => [collection, [...documents.values()]]));
};

const failing = <T>(view: View, event: Recorded, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw new FoldFailure(event, view.name, error);
  }
};
