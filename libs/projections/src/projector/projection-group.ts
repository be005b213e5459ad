import {
  comparePositions,
  laterOf,
  type Checkpoint,
  type LogId,
  type Position,
  type Recorded,
} from '@refledger/contracts';
import { PoisonEvent, type LogBatch, type LoggedEvent } from '@refledger/event-log';
import {
  ReadStoreError,
  StaleDocument,
  type BuildChanges,
  type ReadStore,
} from '@refledger/read-store';
import { BuildInMemory } from './build-in-memory.js';
import type { Folded } from './documents.js';
import { earliestOf } from './earliest.js';
import { foldBatch } from './fold-batch.js';
import { FoldFailure } from './fold-failure.js';
import type { KeptBuild } from './kept-build.js';
import { understand } from './understand.js';

/** How much comes together before it is saved: events folded, or about so many bytes of documents. */
export interface Bulk {
  readonly events: number;
  readonly bytes: number;
}

/** For builds that nobody reads yet: a document that changes many times is saved few times, and folding goes on meanwhile. */
export const largeBulk: Bulk = { events: 50_000, bytes: 16 * 1024 * 1024 };

/** So often a batch is folded into documents that are loaded again, before the processor waits and goes on from its checkpoint. */
const mostFolds = 5;

/** Builds that are kept together: one reading and decoding of the log, and one save a batch or more, for all of them. */
export class ProjectionGroup {
  private readonly members: readonly BuildInMemory[];
  private unsavedEvents = 0;
  private saving: Promise<void> = Promise.resolve();
  /** An event up to here makes a document that can't be stored, or changes a stale one: so far each batch is saved by itself, to find it or to fold it again. */
  private carefulUpTo: Position | undefined;

  constructor(
    readonly builds: readonly KeptBuild[],
    private readonly store: ReadStore,
    private readonly logId: LogId,
    /** None: each batch is saved before the next. */
    private readonly bulk?: Bulk,
  ) {
    this.members = builds.map((kept) => new BuildInMemory(kept));
  }

  /** All builds have folded at least up to here; undefined: one is still at the beginning. */
  get position(): Position | undefined {
    return earliestOf(this.members.map(({ folded }) => folded?.position));
  }

  /** What is in the store. */
  get checkpoints(): readonly Checkpoint[] {
    return this.members.flatMap(({ saved }) => saved ?? []);
  }

  reachedBy({ build }: KeptBuild): Position | undefined {
    return this.members.find(({ kept }) => kept.build.id === build.id)?.folded?.position;
  }

  /**
   * Folds a batch into every build, and saves it, in bulk or at once. At an event that can't be understood or folded, or makes a document that can't
   * be stored, everything before it is saved, and `PoisonEvent` is thrown; in bulk the latter shows after a `restart`. Skipped events change nothing.
   * A batch whose documents were stale is folded again into what is stored by then; in bulk, and after some times, `StaleDocument` is thrown.
   * Throws `BuildGone`. After any throw: `restart`.
   */
  async take(batch: LogBatch, skipped: ReadonlySet<string>): Promise<void> {
    const byItself = this.isSavedByItself(batch);
    for (let folds = 1; ; folds++) {
      try {
        return await this.foldAndSave(batch, skipped, { byItself, loadsAll: folds > 1 });
      } catch (error) {
        const isStale = error instanceof StaleDocument && folds < mostFolds;
        if (!byItself || !(isStale || isUnstorable(error))) throw error;
        await this.restart();
        if (!isStale) return this.takeHalves(batch, skipped, error);
      }
    }
  }

  private async foldAndSave(
    batch: LogBatch,
    skipped: ReadonlySet<string>,
    { byItself, loadsAll }: FoldOptions,
  ): Promise<void> {
    let { events, obstacle } = understand(batch.events, skipped);
    for (;;) {
      const last =
        obstacle === undefined ? batch.events.at(-1) : eventBefore(batch, obstacle.event);
      const failure = await this.fold(events, last, loadsAll);
      if (failure === undefined) break;
      events = events.slice(0, events.indexOf(failure.event));
      obstacle = { event: failure.event, cause: failure };
    }
    if (obstacle !== undefined) {
      await this.flush();
      throw new PoisonEvent(obstacle.event, obstacle.cause);
    }
    this.unsavedEvents += batch.events.length;
    if (byItself || this.bulk === undefined) await this.flush();
    else if (this.unsavedEvents >= this.bulk.events || this.unsavedBytes >= this.bulk.bytes)
      await this.startSave();
  }

  /** Each half that can be stored is saved: so all is up to the one event that can't, which is thrown. */
  private async takeHalves(
    { events }: LogBatch,
    skipped: ReadonlySet<string>,
    cause: unknown,
  ): Promise<void> {
    const [first] = events;
    if (first !== undefined && events.length === 1) throw new PoisonEvent(first, cause);
    const middle = Math.ceil(events.length / 2);
    for (const half of [events.slice(0, middle), events.slice(middle)]) {
      const last = half.at(-1);
      if (last !== undefined) await this.take({ events: half, through: last.position }, skipped);
    }
  }

  private isSavedByItself({ events: [first] }: LogBatch): boolean {
    if (this.bulk === undefined) return true;
    return (
      first !== undefined &&
      this.carefulUpTo !== undefined &&
      comparePositions(first.position, this.carefulUpTo) <= 0
    );
  }

  /** Resolves once everything that was folded is saved. */
  async flush(): Promise<void> {
    await this.startSave();
    await this.saving;
  }

  /** Forgets what is not saved, to go on from there. */
  async restart(): Promise<void> {
    await this.saving.catch(() => undefined);
    this.saving = Promise.resolve();
    this.unsavedEvents = 0;
    for (const member of this.members) member.restart();
  }

  /** The earliest event that a projection fails on; then nothing is folded. */
  private async fold(
    events: readonly Recorded[],
    last: LoggedEvent | undefined,
    loadsAll: boolean,
  ): Promise<FoldFailure | undefined> {
    if (last === undefined) return undefined;
    const checkpoint: Checkpoint = { logId: this.logId, position: last.position, eventId: last.id };
    const folded: (readonly [BuildInMemory, Folded])[] = [];
    let failure: FoldFailure | undefined;
    for (const member of this.members) {
      try {
        const until =
          failure === undefined ? events : events.slice(0, events.indexOf(failure.event));
        folded.push([member, await foldBatch(member, until, this.store, { loadsAll })]);
      } catch (error) {
        if (!(error instanceof FoldFailure)) throw error;
        failure = error;
      }
    }
    if (failure === undefined)
      for (const [member, documents] of folded) member.fold(documents, checkpoint);
    return failure;
  }

  private get unsavedBytes(): number {
    return this.members.reduce((sum, { unsavedWeight }) => sum + unsavedWeight, 0);
  }

  /** Resolves once the save before is over and this one has begun: what is in memory is at most twice a bulk. */
  private async startSave(): Promise<void> {
    await this.saving;
    this.unsavedEvents = 0;
    const leaving = this.members.flatMap((member) => {
      const changes = member.leave();
      return changes === undefined ? [] : [{ member, changes }];
    });
    if (leaving.length === 0) return;
    this.saving = this.save(leaving);
    // whoever awaits it next hears of it
    this.saving.catch(() => undefined);
  }

  private async save(
    leaving: readonly { readonly member: BuildInMemory; readonly changes: BuildChanges }[],
  ): Promise<void> {
    const isAllKept = await this.store
      .save(leaving.map(({ changes }) => changes))
      .catch((error: unknown) => {
        if (isUnstorable(error) || error instanceof StaleDocument)
          this.carefulUpTo = leaving
            .map(({ changes }) => changes.checkpoint.position)
            .reduce<Position | undefined>(laterOf, this.carefulUpTo);
        throw error;
      });
    for (const { member, changes } of leaving) {
      member.arrived(changes);
      if (!isAllKept) member.forget();
    }
  }
}

interface FoldOptions {
  /** The batch is saved before the next is taken. */
  readonly byItself: boolean;
  /** Documents that events begin are loaded too: they may be there, of a save that was made before. */
  readonly loadsAll: boolean;
}

const isUnstorable = (error: unknown): boolean =>
  error instanceof ReadStoreError && error.kind === 'unstorable';

const eventBefore = (
  { events }: LogBatch,
  { id }: { readonly id: string },
): LoggedEvent | undefined => events[events.findIndex((event) => event.id === id) - 1];
