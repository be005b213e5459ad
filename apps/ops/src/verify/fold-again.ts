import { comparePositions, type Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { largeBulk, ViewGroup, type View } from '@refledger/views';

/** Folds views into an empty store with the projector's own code, up to any position of the log, as often as it is asked to go further. */
export class FoldAgain {
  constructor(
    private readonly log: EventLog,
    private readonly store: ReadStore,
    private readonly skipped: ReadonlySet<string>,
    private readonly signal: AbortSignal,
  ) {}

  /** Takes every event up to `bound` that the views have not yet. Throws `PoisonEvent`. */
  async to(
    bound: Position,
    views: readonly View[],
    onProgress: (position: Position) => void = () => undefined,
  ): Promise<void> {
    const builds = await Promise.all(
      views.map(async (view) => ({ view, build: await this.buildOf(view) })),
    );
    const group = new ViewGroup(builds, this.store, this.log.id, largeBulk);
    if (group.position !== undefined && comparePositions(group.position, bound) >= 0) return;
    for await (const { events, through } of this.log.readAll({
      after: group.position,
      batchSize: 1_000,
    })) {
      this.signal.throwIfAborted();
      await group.take(
        {
          events: events.filter(({ position }) => comparePositions(position, bound) <= 0),
          through,
        },
        this.skipped,
      );
      onProgress(through);
      if (comparePositions(through, bound) >= 0) break;
    }
    await group.flush();
  }

  async buildOf(view: View) {
    const builds = await this.store.builds(view.name);
    return (
      builds.find(({ version }) => version === view.version) ??
      (await this.store.createBuild(view, this.log.id, 'verify'))
    );
  }
}
