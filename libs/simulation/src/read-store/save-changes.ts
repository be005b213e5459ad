import { comparePositions, type Position } from '@refledger/contracts';
import { StaleDocument, type BuildChanges, type ChangedDocument } from '@refledger/read-store';
import { collectionOf } from '@refledger/read-store/adapter';
import { toCommitted, type CommittedDocument } from './committed-document.js';
import type { CommittedReadModels } from './committed-read-models.js';

/**
 * Saves all changes, or throws before it saves any. False if a document was left unchanged because
 * it is stored at its new position or a later one.
 */
export const saveChanges = (
  models: CommittedReadModels,
  changes: readonly BuildChanges[],
): boolean => {
  for (const { build } of changes) models.builds.present(build);
  for (const change of changes) requireUnchanged(models, change);
  const saves = changes.flatMap((change) => savesOf(models, change));
  for (const { into, document } of saves)
    if (document !== undefined) into.set(document.id, document);
  for (const { build, checkpoint } of changes) models.builds.raise(build, checkpoint);
  return saves.every(({ document }) => document !== undefined);
};

/** Throws `StaleDocument` unless each unchanged document is stored as it was read. */
const requireUnchanged = (
  models: CommittedReadModels,
  { build, unchanged }: BuildChanges,
): void => {
  for (const [collection, read] of unchanged ?? []) {
    const stored = models.collection(build, collection);
    for (const [id, position] of read)
      if (stored.get(id)?.position !== position) throw new StaleDocument(build, collection, id);
  }
};

/** A document to save; undefined if the stored one stays. */
interface Save {
  readonly into: Map<string, CommittedDocument>;
  readonly document: CommittedDocument | undefined;
}

const savesOf = (models: CommittedReadModels, { build, documents }: BuildChanges): Save[] =>
  [...documents].flatMap(([collection, changed]) => {
    const spec = collectionOf(models.builds.present(build).collections, collection);
    const into = models.collection(build, collection);
    return changed.map((each) => {
      const document = toCommitted(spec, each);
      const verdict = verdictOn(into.get(each.id)?.position, each);
      if (verdict === 'stale') throw new StaleDocument(build, collection, each.id);
      return { into, document: verdict === 'save' ? document : undefined };
    });
  });

const verdictOn = (
  stored: Position | undefined,
  { position, readPosition }: ChangedDocument,
): 'save' | 'keep' | 'stale' => {
  if (stored !== undefined && comparePositions(stored, position) >= 0) return 'keep';
  return stored === readPosition ? 'save' : 'stale';
};
