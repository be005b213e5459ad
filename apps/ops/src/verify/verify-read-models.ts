import { comparePositions, laterOf, type Position } from '@refledger/contracts';
import { PoisonEvent, readDecisions, type EventLog } from '@refledger/event-log';
import {
  BuildGone,
  buildingBuild,
  readableBuild,
  type Build,
  type ReadStore,
} from '@refledger/read-store';
import { isInLog, projectorName, type Projection } from '@refledger/projections';
import type { Progress } from '../progress.js';
import { compareCollections, type Difference } from './compare.js';
import { FoldAgain } from './fold-again.js';
import { lookAgain } from './look-again.js';
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

export type Finding =
  /** So many events are left out of every read model by decisions of an operator. */
  | { readonly kind: 'skipped'; readonly events: number }
  /** A projection that can't be compared, which is a fault too. */
  | { readonly kind: 'unreadable'; readonly projection: string; readonly why: string }
  /** `count` counts the differences of the projection up to this one. */
  | {
      readonly kind: 'difference';
      readonly projection: string;
      readonly difference: Difference;
      readonly count: number;
    }
  /** A projection is compared, all its collections: how many stored or folded documents there are, how many differ, and in how many ways. */
  | {
      readonly kind: 'compared';
      readonly projection: string;
      readonly position: Position | undefined;
      readonly documents: number;
      readonly differing: number;
      readonly differences: number;
    };

/**
 * Compares the read models that are read with what the log makes of them. All projections are folded together as far as the stored ones have
 * come by now, which takes long; then each of them the little further to an instant of the store, which is held only while it is compared. Where the
 * store shows no instant, what differs is looked at again.
 */
export async function* verifyReadModels(verification: Verification): AsyncGenerator<Finding> {
  const { log, store, scratch, projections, progress, signal } = verification;
  const { state } = await readDecisions(log, projectorName);
  if (state.skipped.size > 0) yield { kind: 'skipped', events: state.skipped.size };
  const again = new FoldAgain(log, scratch, state.skipped, signal);
  const sound: { readonly projection: Projection; readonly stored: Stored }[] = [];
  for (const projection of projections) {
    const stored = await storedBuild(log, store, projection);
    if ('why' in stored) yield { kind: 'unreadable', projection: projection.name, why: stored.why };
    else sound.push({ projection, stored });
  }
  try {
    const [bound] = sound
      .flatMap(({ stored }) => stored.build.checkpoint?.position ?? [])
      .sort(comparePositions);
    if (bound !== undefined)
      await again.to(
        bound,
        sound.map(({ stored }) => stored.projection),
        (position) => progress.to(position, bound),
      );
  } catch (error) {
    if (!(error instanceof PoisonEvent)) throw error;
    yield {
      kind: 'unreadable',
      projection: sound.map(({ projection }) => projection.name).join(', '),
      why: `the log can't be folded: ${error.message}`,
    };
    return;
  } finally {
    progress.end();
  }
  for (const { projection } of sound) yield* verifyReadModel(verification, again, projection);
}

/** A rebuild that goes live meanwhile takes the build away: then the new one is compared. */
async function* verifyReadModel(
  verification: Verification,
  again: FoldAgain,
  projection: Projection,
): AsyncGenerator<Finding> {
  for (;;) {
    const stored = await storedBuild(verification.log, verification.store, projection);
    if ('why' in stored) {
      yield { kind: 'unreadable', projection: projection.name, why: stored.why };
      return;
    }
    try {
      const found: Found = { position: undefined, documents: 0, differing: 0, differences: 0 };
      for (const { name } of projection.collections)
        yield* verifyCollection(verification, again, { ...stored, collection: name, found });
      yield { kind: 'compared', projection: projection.name, ...found };
      return;
    } catch (error) {
      if (!(error instanceof BuildGone)) throw error;
    }
  }
}

async function* verifyCollection(
  { store, scratch, signal }: Verification,
  again: FoldAgain,
  { projection, build, collection, found }: Compared,
): AsyncGenerator<Finding> {
  const stored = await openSnapshot(store, build, collection);
  try {
    const position = stored.checkpoint?.position;
    if (position !== undefined) await again.to(position, [projection]);
    found.position = laterOf(found.position, position);
    const folded = await openSnapshot(scratch, await again.buildOf(projection), collection);
    const suspects: string[] = [];
    const told = function* (differences: readonly Difference[]): Generator<Finding> {
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
      if (store.capabilities.instantScans) yield* told(differences);
      else if (differences.length > 0) suspects.push(id);
    }
    for await (const { differences } of lookAgain({
      store,
      scratch,
      again,
      projection,
      build,
      collection,
      ids: suspects,
      signal,
    }))
      yield* told(differences);
  } finally {
    await stored.close();
  }
}

interface Found {
  position: Position | undefined;
  documents: number;
  differing: number;
  differences: number;
}

interface Compared extends Stored {
  readonly collection: string;
  /** What was found so far, of all collections of the projection. */
  readonly found: Found;
}

interface Stored {
  /** The code of the build's own version. */
  readonly projection: Projection;
  readonly build: Build;
}

const storedBuild = async (
  log: EventLog,
  store: ReadStore,
  projection: Projection,
): Promise<Stored | { readonly why: string }> => {
  const builds = await store.builds(projection.name);
  const build = readableBuild(builds, projection, log.id);
  if (build === undefined) {
    const building = buildingBuild(builds, projection, log.id);
    return {
      why:
        building === undefined
          ? 'nothing is stored of it that this release can read'
          : `it is being built for the first time (at position ${building.checkpoint?.position ?? 'none'})`,
    };
  }
  if (build.checkpoint !== undefined && !(await isInLog(log, build.checkpoint)))
    return {
      why: `it has followed events that are not in this log (up to position ${build.checkpoint.position})`,
    };
  return {
    projection: projection.older?.find(({ version }) => version === build.version) ?? projection,
    build,
  };
};
