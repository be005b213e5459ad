import { toPosition } from '@refledger/contracts';
import type { Checkpoint, LogId, Position } from '@refledger/contracts';
import { postingName } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import { isInLog } from '@refledger/projections';
import type { Build, Document, ProjectionSpec, ReadStore } from '@refledger/read-store';

/**
 * Posting's checkpoint is that of a projection, so that readers can wait for it as for a read model.
 * Its one document holds what posting must remember.
 */
export const postingProjection: ProjectionSpec = {
  name: postingName,
  version: 1,
  collections: [{ name: 'progress', indexes: [] }],
};

/** What posting remembers at its checkpoint. */
export interface PostingProgress {
  readonly checkpoint: Checkpoint | undefined;
  /** Log time at the checkpoint; null before the first event of an account. */
  readonly logTime: string | null;
  /** The highest position of an event of a balance that posting appended or met. */
  readonly postedPosition: Position | undefined;
  /** The revision of the last decision to resume that was carried out; -1 before the first. */
  readonly resumedRevision: number;
}

const noProgress: PostingProgress = {
  checkpoint: undefined,
  logTime: null,
  postedPosition: undefined,
  resumedRevision: -1,
};

/** Keeps posting's progress in the read store. */
export class PostingCheckpoints {
  private build: Build | undefined;

  constructor(
    private readonly store: ReadStore,
    private readonly log: EventLog,
  ) {}

  /**
   * Returns the stored progress. Starts from the beginning if there is none, or if its event is not
   * in the log: posting is idempotent, so it never refuses to continue.
   */
  async load(): Promise<PostingProgress> {
    const { store, log } = this;
    for (const build of await store.builds(postingName)) {
      if (build.logId !== log.id || build.version !== postingProjection.version) continue;
      const progress = await this.stored(build);
      const { checkpoint } = progress;
      if (checkpoint === undefined || (await isInLog(log, checkpoint))) {
        // An earlier ledger may have been killed after it saved its progress, before it did this.
        // Readers wait for the checkpoint of a live build.
        if (checkpoint !== undefined)
          await store.save([{ build, documents: new Map(), checkpoint }]);
        await store.goLive(build);
        this.build = build;
        return progress;
      }
      await store.dropBuild(build);
    }
    return this.restart('first', noProgress);
  }

  /** Begins again at this progress, which may be behind the stored one. */
  async restart(cause: string, progress: PostingProgress): Promise<PostingProgress> {
    const { store, log } = this;
    const build = await store.createBuild(postingProjection, log.id, cause);
    for (const old of await store.builds(postingName))
      if (old.id !== build.id && old.logId === log.id) await store.dropBuild(old);
    await store.goLive(build);
    this.build = build;
    if (progress.checkpoint !== undefined) await this.save(progress, noProgress);
    return progress;
  }

  /** Saves progress after `before`. Throws if another ledger has saved progress in the meantime. */
  async save(
    { checkpoint, logTime, postedPosition, resumedRevision }: PostingProgress,
    before: PostingProgress,
  ): Promise<void> {
    if (this.build === undefined || checkpoint === undefined)
      throw new TypeError('posting has no progress to save');
    const document = {
      event_id: checkpoint.eventId,
      log_time: logTime,
      posted_position: postedPosition ?? null,
      resumed_revision: resumedRevision,
    };
    const { position } = checkpoint;
    const readPosition = before.checkpoint?.position;
    const documents = new Map([
      ['progress', [{ id: postingName, position, readPosition, document }]],
    ]);
    const isSaved = await this.store.save([{ build: this.build, documents, checkpoint }]);
    if (!isSaved) throw new Error('another ledger has saved progress in the meantime');
  }

  /** The document is saved before the build's checkpoint, so it alone says how far posting got. */
  private async stored(build: Build): Promise<PostingProgress> {
    const [stored] = await this.store.load(build, 'progress', [postingName]);
    if (stored === undefined || stored.document === null) return noProgress;
    const document = stored.document as ProgressDocument;
    const { position } = stored;
    const checkpoint = { logId: build.logId, position, eventId: document.event_id };
    return { ...progressOf(document), checkpoint };
  }
}

/** How far posting has got, as readers of money see it. */
export interface PostedThrough {
  /** Posting has handled every event up to here; undefined before the first one. */
  readonly position: Position | undefined;
  /** A read model that has reached this position shows everything that was posted up to there. */
  readonly postedPosition: Position | undefined;
}

/** Reads how far posting has got. Throws `ReadModelUnreadable` before its first start. */
export const readPostedThrough = async (
  store: Pick<ReadStore, 'get'>,
  logId: LogId,
): Promise<PostedThrough> => {
  const { value, position } = await store.get(postingProjection, logId, 'progress', postingName);
  const { postedPosition } =
    value === undefined ? noProgress : progressOf(value as ProgressDocument);
  return { position, postedPosition };
};

interface ProgressDocument extends Document {
  readonly event_id: string;
  readonly log_time: string | null;
  readonly posted_position: string | null;
  readonly resumed_revision: number;
}

const progressOf = (document: ProgressDocument): Omit<PostingProgress, 'checkpoint'> => ({
  logTime: document.log_time,
  postedPosition: toPosition(document.posted_position ?? ''),
  resumedRevision: document.resumed_revision,
});
