import { comparePositions, type Checkpoint, type LogId } from '@refledger/contracts';
import { BuildNotFoundError, type Build, type ProjectionSpec } from '@refledger/read-store';
import type { StoredBuild } from '@refledger/read-store/adapter';

interface CausedBuild extends StoredBuild {
  readonly cause: string;
}

/** The builds of all projections, oldest first. */
export class Builds {
  private builds: readonly CausedBuild[] = [];
  private created = 0;

  get all(): readonly StoredBuild[] {
    return this.builds;
  }

  ofProjection(projection: string): readonly StoredBuild[] {
    return this.builds.filter((build) => build.projection === projection);
  }

  /** The build as it is stored. Throws `BuildNotFoundError`. */
  present(build: Build): StoredBuild {
    const stored = this.builds.find(({ id }) => id === build.id);
    if (stored === undefined) throw new BuildNotFoundError(build);
    return stored;
  }

  create({ name, version, collections }: ProjectionSpec, logId: LogId, cause: string): StoredBuild {
    const known = this.builds.find(
      (build) =>
        build.projection === name &&
        build.version === version &&
        build.logId === logId &&
        build.cause === cause,
    );
    if (known !== undefined) return known;
    const build: CausedBuild = {
      id: `build-${++this.created}`,
      projection: name,
      version,
      logId,
      cause,
      collections,
      state: 'building',
      checkpoint: undefined,
    };
    this.builds = [...this.builds, build];
    return build;
  }

  /** False if reads would go back. Throws `BuildNotFoundError`. */
  goLive(build: Build): boolean {
    const { id, projection, logId, version, checkpoint, state } = this.present(build);
    if (state === 'live') return true;
    const isBehind = this.ofProjection(projection).some(
      (other) =>
        other.state === 'live' &&
        other.logId === logId &&
        other.version <= version &&
        isAhead(other.checkpoint, checkpoint),
    );
    if (!isBehind) this.change(id, { state: 'live' });
    return !isBehind;
  }

  /** Raises the checkpoint unless it is higher already. */
  raise(build: Build, checkpoint: Checkpoint): void {
    if (isAhead(checkpoint, this.present(build).checkpoint)) this.change(build.id, { checkpoint });
  }

  remove({ id }: Build): void {
    this.builds = this.builds.filter((build) => build.id !== id);
  }

  private change(id: string, changed: Partial<Build>): void {
    this.builds = this.builds.map((build) => (build.id === id ? { ...build, ...changed } : build));
  }
}

const isAhead = (one: Checkpoint | undefined, other: Checkpoint | undefined): boolean =>
  one !== undefined && (other === undefined || comparePositions(one.position, other.position) > 0);
