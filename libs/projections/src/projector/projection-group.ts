import {
  comparePositions,
  laterOf,
  type Checkpoint,
  type LogId,
  type Position,
} from '@refledger/contracts';
import { noDecisions, type OutOfLogTime } from '@refledger/domain';
import { halvesOf, PoisonEvent, type LogBatch } from '@refledger/event-log';
import {
  ReadStoreError,
  StaleDocument,
  type BuildChanges,
  type ReadStore,
} from '@refledger/read-store';
import { BuildInMemory } from './build-in-memory.js';
import { beforeFailure, commonPrefix, decodeBatch, type DecodedBatch } from './decode-batch.js';
import type { FoldResult } from './documents.js';
import { earliestOf } from './earliest.js';
import { foldBatch, FoldFailure } from './fold-batch.js';
import type { BuildWithProjection } from './plan-builds.js';

/**
 * How much accumulates before a save: a number of folded events, or an approximate number of bytes
 * of documents.
 */
export interface Bulk {
  readonly events: number;
  readonly bytes: number;
}

/**
 * For builds that no one reads yet: a document that changes often is saved rarely, and folding
 * continues during a save.
 */
export const largeBulk: Bulk = { events: 50_000, bytes: 16 * 1024 * 1024 };

/**
 * How many times a batch is folded into freshly loaded documents before the processor waits and
 * continues from its checkpoint.
 */
const maxFolds = 5;

/**
 * Builds that are maintained together: the log is read and decoded once for all of them, and they
 * share their saves.
 */
export class ProjectionGroup {
  private readonly members: readonly BuildInMemory[];
  private readonly prefix: string | undefined;
  private unsavedEvents = 0;
  private saving: Promise<void> = Promise.resolve();
  /**
   * Up to here each batch is saved separately, because a save failed: some event makes a document
   * that can't be stored, or changes a stale one. This isolates the event, or folds it again.
   */
  private saveIndividuallyUpTo: Position | undefined;

  constructor(
    readonly builds: readonly BuildWithProjection[],
    private readonly store: ReadStore,
    private readonly logId: LogId,
    /** If undefined, each batch is saved before the next. */
    private readonly bulk?: Bulk,
  ) {
    this.members = builds.map((kept) => new BuildInMemory(kept));
    this.prefix = commonPrefix(builds.map(({ projection }) => projection));
  }

  /** Every build has folded at least up to here. Undefined while one is still at the start. */
  get position(): Position | undefined {
    return earliestOf(this.members.map(({ folded }) => folded?.position));
  }

  get checkpoints(): readonly Checkpoint[] {
    return this.members.flatMap(({ saved }) => saved ?? []);
  }

  reachedBy({ build }: BuildWithProjection): Position | undefined {
    return this.members.find(({ kept }) => kept.build.id === build.id)?.folded?.position;
  }

  /**
   * Folds a batch into every build and saves it, in bulk or immediately. Skipped events change
   * nothing. If an event can't be decoded or folded, or its document can't be stored, everything
   * before its append is saved and `PoisonEvent` is thrown; in bulk, a document that can't be
   * stored is only found after a `restart`. If documents were stale, the batch is folded again into
   * the stored ones; in bulk, or after several attempts, `StaleDocument` is thrown. Throws
   * `BuildNotFoundError`. Call `restart` after any error. Projections that follow log time are not
   * shown the events that are out of it.
   */
  async apply(
    batch: LogBatch,
    skipped: ReadonlySet<string>,
    excluded: OutOfLogTime = noDecisions,
  ): Promise<void> {
    const byItself = this.savesImmediately(batch);
    for (let folds = 1; ; folds++) {
      try {
        const options = { byItself, loadsAll: folds > 1, excluded };
        return await this.foldAndSave(batch, skipped, options);
      } catch (error) {
        const isStale = error instanceof StaleDocument && folds < maxFolds;
        if (!byItself || !(isStale || isUnstorable(error))) throw error;
        await this.restart();
        if (!isStale) return this.takeHalves(batch, { skipped, excluded }, error);
      }
    }
  }

  private async foldAndSave(
    batch: LogBatch,
    skipped: ReadonlySet<string>,
    { byItself, ...options }: FoldOptions,
  ): Promise<void> {
    let decoded = decodeBatch(batch.events, skipped, this.prefix);
    for (;;) {
      const foldFailure = await this.fold(decoded, options);
      if (foldFailure === undefined) break;
      decoded = beforeFailure(decoded, { event: foldFailure.event, cause: foldFailure });
    }
    if (decoded.failure !== undefined) {
      await this.flush();
      throw new PoisonEvent(decoded.failure.event, decoded.failure.cause);
    }
    this.unsavedEvents += batch.events.length;
    if (byItself || this.bulk === undefined) await this.flush();
    else if (this.unsavedEvents >= this.bulk.events || this.unsavedBytes >= this.bulk.bytes)
      await this.startSave();
  }

  /**
   * Saves each half that can be stored, and so everything before the one append that can't be.
   * Throws a `PoisonEvent` for the last of its events that is not skipped.
   */
  private async takeHalves(
    batch: LogBatch,
    {
      skipped,
      excluded,
    }: { readonly skipped: ReadonlySet<string>; readonly excluded: OutOfLogTime },
    cause: unknown,
  ): Promise<void> {
    const halves = halvesOf(batch);
    const poison = batch.events.findLast(({ id }) => !skipped.has(id)) ?? batch.events.at(-1);
    if (halves.length === 1 && poison !== undefined) throw new PoisonEvent(poison, cause);
    for (const half of halves) await this.apply(half, skipped, excluded);
  }

  private savesImmediately({ events: [first] }: LogBatch): boolean {
    if (this.bulk === undefined) return true;
    return (
      first !== undefined &&
      this.saveIndividuallyUpTo !== undefined &&
      comparePositions(first.position, this.saveIndividuallyUpTo) <= 0
    );
  }

  /** Resolves once everything that was folded is saved. */
  async flush(): Promise<void> {
    await this.startSave();
    await this.saving;
  }

  /** Forgets everything unsaved and continues from the saved checkpoints. */
  async restart(): Promise<void> {
    await this.saving.catch(() => undefined);
    this.saving = Promise.resolve();
    this.unsavedEvents = 0;
    for (const member of this.members) member.restart();
  }

  /**
   * Folds into all builds and returns undefined, or returns the earliest failure and folds nothing.
   */
  private async fold(
    { logged, events }: DecodedBatch,
    options: Omit<FoldOptions, 'byItself'>,
  ): Promise<FoldFailure | undefined> {
    const last = logged.at(-1);
    if (last === undefined) return undefined;
    const checkpoint: Checkpoint = { logId: this.logId, position: last.position, eventId: last.id };
    const folded: (readonly [BuildInMemory, FoldResult])[] = [];
    let foldFailure: FoldFailure | undefined;
    for (const member of this.members) {
      try {
        const until =
          foldFailure === undefined ? events : events.slice(0, events.indexOf(foldFailure.event));
        folded.push([member, await foldBatch(member, until, this.store, options)]);
      } catch (error) {
        if (!(error instanceof FoldFailure)) throw error;
        foldFailure = error;
      }
    }
    if (foldFailure === undefined)
      for (const [member, documents] of folded) member.fold(documents, checkpoint);
    return foldFailure;
  }

  private get unsavedBytes(): number {
    return this.members.reduce((sum, { unsavedWeight }) => sum + unsavedWeight, 0);
  }

  /**
   * Resolves once the previous save is over and this one has started, so memory holds at most two
   * bulk saves.
   */
  private async startSave(): Promise<void> {
    await this.saving;
    this.unsavedEvents = 0;
    const begun = this.members.flatMap((member) => {
      const changes = member.beginSave();
      return changes === undefined ? [] : [{ member, changes }];
    });
    if (begun.length === 0) return;
    this.saving = this.save(begun);
    // The next caller that awaits the save gets its error.
    this.saving.catch(() => undefined);
  }

  private async save(
    begun: readonly { readonly member: BuildInMemory; readonly changes: BuildChanges }[],
  ): Promise<void> {
    const isAllKept = await this.store
      .save(begun.map(({ changes }) => changes))
      .catch((error: unknown) => {
        if (isUnstorable(error) || error instanceof StaleDocument)
          this.saveIndividuallyUpTo = begun
            .map(({ changes }) => changes.checkpoint.position)
            .reduce<Position | undefined>(laterOf, this.saveIndividuallyUpTo);
        throw error;
      });
    for (const { member, changes } of begun) {
      member.endSave(changes);
      if (!isAllKept) member.forget();
    }
  }
}

interface FoldOptions {
  /** The batch is saved before the next one is taken. */
  readonly byItself: boolean;
  /** Also load documents that the events create: an earlier save may have stored them already. */
  readonly loadsAll: boolean;
  readonly excluded: OutOfLogTime;
}

const isUnstorable = (error: unknown): boolean =>
  error instanceof ReadStoreError && error.kind === 'unstorable';
