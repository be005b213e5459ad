import { comparePositions, laterOf, type Position } from '@refledger/contracts';
import {
  isInLog,
  PoisonEvent,
  readDecisions,
  readPostingDecisions,
  type EventLog,
} from '@refledger/event-log';
import {
  BuildNotFoundError,
  buildingBuild,
  readableBuild,
  type Build,
  type ReadStore,
} from '@refledger/read-store';
import { projectorName, type Projection } from '@refledger/projections';
import { TermsUnavailable } from '../engines/open-terms.js';
import type { Progress } from '../progress.js';
import { compareCollections, type Difference } from './compare.js';
import { isEndedLater } from './is-ended-later.js';
import { Refold } from './refold.js';
import { recheck } from './recheck.js';
import { openSnapshot } from './snapshot.js';

export interface Verification {
  readonly log: EventLog;
  readonly store: ReadStore;
  /** An empty store to fold into. */
  readonly scratch: ReadStore;
  readonly projections: readonly Projection[];
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** One result of a verification. */
export type Finding =
  /** Operators' decisions leave this many events out of every read model. */
  | { readonly kind: 'skipped'; readonly events: number }
  /** A projection that cannot be compared. This counts as a failure. */
  | { readonly kind: 'unreadable'; readonly projection: string; readonly why: string }
  /** One difference. `count` is the number of differences of the projection so far. */
  | {
      readonly kind: 'difference';
      readonly projection: string;
      readonly difference: Difference;
      readonly count: number;
    }
  /**
   * The summary of a projection over all its collections: the number of documents (stored or
   * folded), of documents that differ, and of differences.
   */
  | ({ readonly kind: 'compared'; readonly projection: string } & Readonly<ComparisonCounts>);

/**
 * Compares the readable read models with a fold of the log. First it folds the projections together
 * up to the lowest position of the stored read models, which takes a long time. Then it folds each
 * projection further, up to the position of a snapshot of the store. The snapshot is held only
 * during the comparison. In a store without instant scans, documents that differ are compared
 * again.
 */
export async function* verifyReadModels(verification: Verification): AsyncGenerator<Finding> {
  const { log, store, scratch, projections, progress, signal } = verification;
  const { state } = await readDecisions(log, projectorName);
  const decisions = await readPostingDecisions(log);
  if (state.skipped.size > 0) yield { kind: 'skipped', events: state.skipped.size };
  const again = new Refold(log, scratch, { skipped: state.skipped, decisions }, signal);
  const sound: { readonly projection: Projection; readonly stored: VerifiedBuild }[] = [];
  for (const projection of projections) {
    const stored = await storedBuild(log, store, projection);
    if ('why' in stored) yield { kind: 'unreadable', projection: projection.name, why: stored.why };
    else sound.push({ projection, stored });
  }
  try {
    const [bound] = sound
      .flatMap(({ stored }) => stored.build.checkpoint?.position ?? [])
      .sort(comparePositions);
    // a projection that completes documents may fail alone
    const together = sound.flatMap(({ stored }) =>
      stored.projection.complete === undefined ? [stored.projection] : [],
    );
    if (bound !== undefined && together.length > 0)
      await again.applyUpTo(bound, together, (position) => progress.update(position, bound));
  } catch (error) {
    if (!(error instanceof PoisonEvent)) throw error;
    yield {
      kind: 'unreadable',
      projection: sound.map(({ projection }) => projection.name).join(', '),
      why: `the log cannot be folded: ${error.message}`,
    };
    return;
  } finally {
    progress.end();
  }
  for (const { projection } of sound) yield* verifyReadModel(verification, again, projection);
}

/**
 * Verifies one projection. A rebuild that goes live meanwhile removes the build: the new one is
 * then compared.
 */
async function* verifyReadModel(
  verification: Verification,
  again: Refold,
  projection: Projection,
): AsyncGenerator<Finding> {
  for (;;) {
    const stored = await storedBuild(verification.log, verification.store, projection);
    if ('why' in stored) {
      yield { kind: 'unreadable', projection: projection.name, why: stored.why };
      return;
    }
    try {
      const found: ComparisonCounts = {
        position: undefined,
        documents: 0,
        differing: 0,
        differences: 0,
      };
      for (const { name } of projection.collections)
        yield* verifyCollection(verification, again, { ...stored, collection: name, found });
      yield { kind: 'compared', projection: projection.name, ...found };
      return;
    } catch (error) {
      if (error instanceof TermsUnavailable) {
        yield { kind: 'unreadable', projection: projection.name, why: error.message };
        return;
      }
      if (!(error instanceof BuildNotFoundError)) throw error;
    }
  }
}

async function* verifyCollection(
  verification: Verification,
  again: Refold,
  { projection, build, collection, found }: CollectionComparison,
): AsyncGenerator<Finding> {
  const { log, store, scratch, signal } = verification;
  const stored = await openSnapshot(store, build, collection);
  try {
    const position = stored.checkpoint?.position;
    if (position !== undefined) await again.applyUpTo(position, [projection]);
    found.position = laterOf(found.position, position);
    const folded = await openSnapshot(scratch, await again.buildOf(projection), collection);
    const suspects: string[] = [];
    const reported = async function* (
      differences: readonly Difference[],
      through: Position | undefined,
    ): AsyncGenerator<Finding> {
      if (await mayRemain(log, projection, differences, through)) return;
      if (differences.length > 0) found.differing++;
      for (const difference of differences)
        yield {
          kind: 'difference',
          projection: projection.name,
          difference,
          count: ++found.differences,
        };
    };
    for await (const { id, differences } of compareCollections(
      stored.documents(),
      folded.documents(),
    )) {
      signal.throwIfAborted();
      found.documents++;
      if (store.capabilities.instantScans) yield* reported(differences, position);
      else if (differences.length > 0) suspects.push(id);
    }
    const differing = { ...verification, again, projection, build, collection, ids: suspects };
    for await (const rechecked of recheck(differing))
      yield* reported(rechecked.differences, rechecked.position);
  } finally {
    await stored.close();
  }
}

/** Whether the log explains a stored document that was not folded. */
const mayRemain = async (
  log: EventLog,
  projection: Projection,
  [first]: readonly Difference[],
  through: Position | undefined,
): Promise<boolean> =>
  projection.complete !== undefined &&
  first?.kind === 'extra' &&
  (await isEndedLater(log, first.id, through));

interface ComparisonCounts {
  position: Position | undefined;
  documents: number;
  differing: number;
  differences: number;
}

interface CollectionComparison extends VerifiedBuild {
  readonly collection: string;
  /** The results so far for all collections of the projection. */
  readonly found: ComparisonCounts;
}

interface VerifiedBuild {
  /** The projection's code for the version of the build. */
  readonly projection: Projection;
  readonly build: Build;
}

const storedBuild = async (
  log: EventLog,
  store: ReadStore,
  projection: Projection,
): Promise<VerifiedBuild | { readonly why: string }> => {
  const builds = await store.builds(projection.name);
  const build = readableBuild(builds, projection, log.id);
  if (build === undefined) {
    const building = buildingBuild(builds, projection, log.id);
    return {
      why:
        building === undefined
          ? 'it has no stored read model that this release can read'
          : `it is being built for the first time (at position ${building.checkpoint?.position ?? 'none'})`,
    };
  }
  if (build.checkpoint !== undefined && !(await isInLog(log, build.checkpoint)))
    return { why: `its checkpoint belongs to another log (position ${build.checkpoint.position})` };
  return {
    projection: projection.older?.find(({ version }) => version === build.version) ?? projection,
    build,
  };
};
