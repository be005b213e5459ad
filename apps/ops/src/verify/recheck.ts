import { comparePositions, type Position } from '@refledger/contracts';
import {
  BuildNotFoundError,
  type Build,
  type ReadStore,
  type StoredDocument,
} from '@refledger/read-store';
import type { Projection } from '@refledger/projections';
import { compareDocuments, type DocumentComparison } from './compare.js';
import type { Refold } from './refold.js';

/** Documents that differed in a scan, and the stores to compare them in. */
export interface Suspects {
  readonly store: ReadStore;
  /** The store that `again` folds into. */
  readonly scratch: ReadStore;
  readonly signal: AbortSignal;
  readonly again: Refold;
  readonly projection: Projection;
  readonly build: Build;
  readonly collection: string;
  readonly ids: readonly string[];
}

/** A document that was compared with the fold at this position. */
export interface RecheckedDocument extends DocumentComparison {
  readonly position: Position | undefined;
}

const idsPerRead = 1_000;

/**
 * Compares again the documents that differed in a scan that did not show one instant: they may
 * differ only because they changed after it started. It reads the checkpoint first and then the
 * documents. A document then has every event up to the checkpoint or, if its own position is later,
 * every event up to that position. Each document is compared with the fold at exactly that
 * position, so concurrent writes neither cause false differences nor hide real ones. Throws
 * `BuildNotFoundError`.
 */
export async function* recheck({
  store,
  scratch,
  again,
  projection,
  build,
  collection,
  ids,
  signal,
}: Suspects): AsyncGenerator<RecheckedDocument> {
  if (ids.length === 0) return;
  const reached = await positionOf(store, build);
  if (reached !== undefined) await again.applyUpTo(reached, [projection]);
  const folded = await again.buildOf(projection);
  const beyond: StoredDocument[] = [];
  for (let from = 0; from < ids.length; from += idsPerRead) {
    signal.throwIfAborted();
    const chunk = ids.slice(from, from + idsPerRead);
    const [theirs, ours] = [
      byId(await store.load(build, collection, chunk)),
      byId(await scratch.load(folded, collection, chunk)),
    ];
    for (const id of chunk) {
      const document = theirs.get(id);
      if (document === undefined || !isBeyond(document, reached))
        yield { id, position: reached, differences: compareDocuments(id, document, ours.get(id)) };
      else beyond.push(document);
    }
  }
  for (const document of beyond.sort((a, b) => comparePositions(a.position, b.position))) {
    signal.throwIfAborted();
    const { id, position } = document;
    await again.applyUpTo(position, [projection]);
    const [ours] = await scratch.load(folded, collection, [id]);
    yield { id, position, differences: compareDocuments(id, document, ours) };
  }
}

const positionOf = async (store: ReadStore, build: Build): Promise<Position | undefined> => {
  const now = (await store.builds(build.projection)).find(({ id }) => id === build.id);
  if (now === undefined) throw new BuildNotFoundError(build);
  return now.checkpoint?.position;
};

const isBeyond = ({ position }: StoredDocument, reached: Position | undefined): boolean =>
  reached === undefined || comparePositions(position, reached) > 0;

const byId = (documents: readonly StoredDocument[]): ReadonlyMap<string, StoredDocument> =>
  new Map(documents.map((document) => [document.id, document]));
