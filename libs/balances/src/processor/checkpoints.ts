import type { Checkpoint } from '@refledger/contracts';
import { isInLog, type EventLog } from '@refledger/event-log';
import type { Build, Document, ProjectionSpec, ReadStore } from '@refledger/read-store';

/** The progress that every event processor of the ledger stores. */
export interface StoredProgress {
  readonly checkpoint: Checkpoint | undefined;
  /** The revision of the last decision to resume that was carried out; -1 before the first. */
  readonly resumedRevision: number;
}

/**
 * How the progress of a processor is stored. Its checkpoint is that of a projection, so that
 * readers can wait for it as for a read model; the one document of the collection `progress` holds
 * what else it must remember.
 */
export interface ProgressForm<Progress extends StoredProgress> {
  readonly spec: ProjectionSpec;
  /** The progress before the first event. */
  readonly initial: Progress;
  /** The fields of the document besides those of every processor. */
  readonly encode: (progress: Progress) => Document;
  readonly decode: (document: Document, shared: StoredProgress) => Progress;
}

/** The collection of a processor's progress, for the spec of its projection. */
export const progressCollection = { name: 'progress', indexes: [] } as const;

/** The form of the progress of a processor that remembers nothing but its checkpoint. */
export const plainProgress = (spec: ProjectionSpec): ProgressForm<StoredProgress> => ({
  spec,
  initial: { checkpoint: undefined, resumedRevision: -1 },
  encode: () => ({}),
  decode: (_, shared) => shared,
});

/** Keeps the progress of an event processor in the read store. */
export class ProcessorCheckpoints<Progress extends StoredProgress> {
  private build: Build | undefined;

  constructor(
    private readonly store: ReadStore,
    private readonly log: EventLog,
    private readonly form: ProgressForm<Progress>,
  ) {}

  /**
   * Returns the stored progress. Starts over if there is none, or if its event is not
   * in the log: the processors of the ledger are idempotent, so none refuses to continue.
   */
  async load(): Promise<Progress> {
    const { store, log, form } = this;
    for (const build of await store.builds(form.spec.name)) {
      if (build.logId !== log.id || build.version !== form.spec.version) continue;
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
    return this.restart('first', form.initial);
  }

  /** Starts again at this progress, which may be behind the stored one. */
  async restart(cause: string, progress: Progress): Promise<Progress> {
    const { store, log, form } = this;
    const build = await store.createBuild(form.spec, log.id, cause);
    for (const old of await store.builds(form.spec.name))
      if (old.id !== build.id && old.logId === log.id) await store.dropBuild(old);
    await store.goLive(build);
    this.build = build;
    if (progress.checkpoint !== undefined) await this.save(progress, form.initial);
    return progress;
  }

  /** Saves progress after `before`. Throws if another ledger has saved progress in the meantime. */
  async save(progress: Progress, before: Progress): Promise<void> {
    const { checkpoint, resumedRevision } = progress;
    const { spec, encode } = this.form;
    if (this.build === undefined || checkpoint === undefined)
      throw new TypeError(`${spec.name} has no progress to save`);
    const document = {
      ...encode(progress),
      event_id: checkpoint.eventId,
      resumed_revision: resumedRevision,
    };
    const { position } = checkpoint;
    const readPosition = before.checkpoint?.position;
    const documents = new Map([
      [progressCollection.name, [{ id: spec.name, position, readPosition, document }]],
    ]);
    const isSaved = await this.store.save([{ build: this.build, documents, checkpoint }]);
    if (!isSaved) throw new Error('another ledger has saved progress in the meantime');
  }

  /** The document is saved before the build's checkpoint, so it alone says how far work has got. */
  private async stored(build: Build): Promise<Progress> {
    const { spec, initial, decode } = this.form;
    const [stored] = await this.store.load(build, progressCollection.name, [spec.name]);
    if (stored === undefined || stored.document === null) return initial;
    const { event_id, resumed_revision } = stored.document as SharedDocument;
    const checkpoint = { logId: build.logId, position: stored.position, eventId: event_id };
    return decode(stored.document, { checkpoint, resumedRevision: resumed_revision });
  }
}

interface SharedDocument extends Document {
  readonly event_id: string;
  readonly resumed_revision: number;
}
