import type { Db } from 'mongodb';
import { StaleDocument, type BuildChanges } from '../read-store.js';
import { storable } from '../storable.js';
import { collectionOf } from '../plan-query.js';
import { sweep } from './build-collections.js';
import type { BuildRegistry, StoredBuild } from './build-registry.js';
import { saveDocuments, staleAmong } from './save-documents.js';
import { documentsOf, toReadModelChange } from './read-model-document.js';

/**
 * Saves documents of several builds, then raises their checkpoints. If a document was stale, throws
 * instead of raising them. True if all documents were kept.
 */
export const saveChanges = async (
  db: Db,
  registry: BuildRegistry,
  changes: readonly BuildChanges[],
): Promise<boolean> => {
  const builds = await registry.present(changes.map(({ build }) => build));
  const staleRead = await staleUnchanged(db, changes);
  const saved = await saveAll(db, builds, changes);
  const stale = staleRead ?? saved.stale;
  await (stale === undefined ? registry.raise(changes) : registry.present(builds)).catch(
    async (error: unknown) => {
      // If a build was dropped meanwhile, MongoDB has created its collections again for these
      // documents.
      await sweep(db, registry);
      throw error;
    },
  );
  if (stale !== undefined) throw stale;
  return saved.isAllKept;
};

/** The first unchanged document that is no longer stored as it was read. */
const staleUnchanged = async (
  db: Db,
  changes: readonly BuildChanges[],
): Promise<StaleDocument | undefined> => {
  let stale: StaleDocument | undefined;
  for (const { build, unchanged } of changes) {
    for (const [name, read] of unchanged ?? []) {
      const id = await staleAmong(documentsOf(db, build, name), read);
      if (id !== undefined) stale ??= new StaleDocument(build, name, id);
    }
  }
  return stale;
};

/** Saves all documents. `builds` are those of the changes, in the same order. */
const saveAll = async (
  db: Db,
  builds: readonly StoredBuild[],
  changes: readonly BuildChanges[],
): Promise<{ readonly isAllKept: boolean; readonly stale: StaleDocument | undefined }> => {
  let isAllKept = true;
  let stale: StaleDocument | undefined;
  for (const [i, { build, documents }] of changes.entries()) {
    for (const [name, changed] of documents) {
      const spec = collectionOf(builds[i]?.collections ?? [], name);
      const saved = await saveDocuments(
        documentsOf(db, build, name),
        changed.map((each) => storable(each.id, () => toReadModelChange(spec, each))),
      );
      isAllKept &&= saved.isAllKept;
      if (saved.stale !== undefined) stale ??= new StaleDocument(build, name, saved.stale);
    }
  }
  return { isAllKept, stale };
};
