import { comparePositions, type Checkpoint, type LogId, type Position, type Recorded } from '@refledger/contracts';
import { PoisonEvent, type LogBatch, type LoggedEvent } from '@refledger/event-log';
import type { BuildChanges, ReadStore } from '@refledger/read-store';
import { earliestOf } from './earliest.js';
import { FoldFailure, foldTouched, loadTouched, touchesOf, type KeptBuild } from './fold-build.js';
import { understand } from './understand.js';

/** Builds that are kept together: one reading and decoding of the log, and one save a batch, for all of them. */
export class ViewGroup {
  /** By build. */
  private readonly reached: Map<string, Checkpoint | undefined>;

  constructor(
    readonly builds: readonly KeptBuild[],
    private readonly store: ReadStore,
    private readonly logId: LogId,
  ) {
    this.reached = new Map(builds.map(({ build }) => [build.id, build.checkpoint]));
  }

  /** All builds have come at least this far; undefined: one is still at the beginning. */
  get position(): Position | undefined {
    return earliestOf([...this.reached.values()].map((checkpoint) => checkpoint?.position));
  }

  get checkpoints(): readonly Checkpoint[] {
    return [...this.reached.values()].filter((checkpoint) => checkpoint !== undefined);
  }

  reachedBy({ build }: KeptBuild): Position | undefined {
    return this.reached.get(build.id)?.position;
  }

  /**
   * Folds a batch into every build and saves it. At an event that can't be understood or folded everything before it is saved,
   * and `PoisonEvent` is thrown. Skipped events change nothing. Throws `BuildGone`.
   */
  async take(batch: LogBatch, skipped: ReadonlySet<string>): Promise<void> {
    let { events, obstacle } = understand(batch.events, skipped);
    for (;;) {
      const last = obstacle === undefined ? batch.events.at(-1) : eventBefore(batch, obstacle.event);
      const failure = await this.foldAndSave(events, last);
      if (failure === undefined) break;
      events = events.slice(0, events.indexOf(failure.event));
      obstacle = { event: failure.event, cause: failure };
    }
    if (obstacle !== undefined) throw new PoisonEvent(obstacle.event, obstacle.cause);
  }

  /** The earliest event that a view fails on; then nothing is saved. */
  private async foldAndSave(events: readonly Recorded[], last: LoggedEvent | undefined): Promise<FoldFailure | undefined> {
    if (last === undefined) return undefined;
    const checkpoint: Checkpoint = { logId: this.logId, position: last.position, eventId: last.id };
    const changes: BuildChanges[] = [];
    let failure: FoldFailure | undefined;
    for (const kept of this.builds) {
      try {
        const until = failure === undefined ? events : events.slice(0, events.indexOf(failure.event));
        const touches = touchesOf(kept, until, this.reachedBy(kept));
        changes.push({ build: kept.build, documents: foldTouched(kept, touches, await loadTouched(this.store, kept, touches)), checkpoint });
      } catch (error) {
        if (!(error instanceof FoldFailure)) throw error;
        failure = error;
      }
    }
    if (failure !== undefined) return failure;
    await this.store.save(changes);
    for (const { build } of this.builds) if (isPast(last.position, this.reached.get(build.id)?.position)) this.reached.set(build.id, checkpoint);
    return undefined;
  }
}

const eventBefore = ({ events }: LogBatch, { id }: { readonly id: string }): LoggedEvent | undefined => events[events.findIndex((event) => event.id === id) - 1];

const isPast = (position: Position, other: Position | undefined): boolean => other === undefined || comparePositions(position, other) > 0;
