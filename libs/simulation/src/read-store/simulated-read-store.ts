import type { KeyId, LogId } from '@refledger/contracts';
import {
  ReadStoreError,
  type Build,
  type BuildChanges,
  type KeyUses,
  type LeaseRequest,
  type ProjectionSpec,
  type ReadStore,
  type ScanPage,
} from '@refledger/read-store';
import { isReadableUpTo } from '@refledger/read-store/adapter';
import type { Clock } from '../clock.js';
import { toStored } from './committed-document.js';
import type { CommittedReadModels } from './committed-read-models.js';
import { ReadableDocuments } from './readable-documents.js';
import { saveChanges } from './save-changes.js';
import { scanPages, snapshotOf } from './scan-pages.js';

/**
 * A read store in memory that never fails and uses no index. Each instance is a handle to the
 * committed read models that it shares with others.
 */
export class SimulatedReadStore implements ReadStore {
  private isClosed = false;

  constructor(
    private readonly committed: CommittedReadModels,
    private readonly clock: Pick<Clock, 'schedule' | 'turn'>,
    readonly capabilities: ReadStore['capabilities'],
  ) {}

  builds(projection: string): Promise<readonly Build[]> {
    return this.whenOpen(({ builds }) => builds.ofProjection(projection));
  }

  createBuild(projection: ProjectionSpec, logId: LogId, cause: string): Promise<Build> {
    return this.changing(({ builds }) => builds.create(projection, logId, cause));
  }

  goLive(build: Build): Promise<boolean> {
    return this.changing(({ builds }) => builds.goLive(build));
  }

  dropBuild(build: Build): Promise<void> {
    return this.changing((committed) => committed.drop(build));
  }

  readonly load: ReadStore['load'] = (build, collection, ids) =>
    this.whenOpen((committed) => {
      const documents = committed.collection(build, collection);
      return [...new Set(ids)].flatMap((id) => {
        const found = documents.get(id);
        return found === undefined ? [] : [toStored(found)];
      });
    });

  save(changes: readonly BuildChanges[]): Promise<boolean> {
    return this.changing((committed) => saveChanges(committed, changes));
  }

  async *scan(build: Build, collection: string): AsyncGenerator<ScanPage> {
    const read = () => this.whenOpen((committed) => snapshotOf(committed, build, collection));
    for await (const page of scanPages(read, this.capabilities.instantScans)) {
      yield page;
      await this.clock.turn();
    }
  }

  readonly get: ReadStore['get'] = (projection, logId, collection, id) =>
    this.whenOpen((committed) =>
      new ReadableDocuments(committed, projection, logId).get(collection, id),
    );

  readonly find: ReadStore['find'] = (projection, logId, collection, query) =>
    this.whenOpen((committed) =>
      new ReadableDocuments(committed, projection, logId).find(collection, query),
    );

  readonly findJson: ReadStore['findJson'] = (projection, logId, collection, query) =>
    this.whenOpen((committed) =>
      new ReadableDocuments(committed, projection, logId).findJson(collection, query),
    );

  readonly waitForPosition: ReadStore['waitForPosition'] = async (
    projection,
    logId,
    position,
    { timeoutMs, signal },
  ) => {
    const { builds, changes } = this.requireOpen();
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const cancelTimer = this.clock.schedule(timeoutMs, end);
    signal?.addEventListener('abort', end);
    if (timeoutMs <= 0 || signal?.aborted === true) end();
    try {
      while (!isReadableUpTo(position, builds.all, projection, logId)) {
        if (ending.signal.aborted || this.isClosed) return false;
        await changes.next(ending.signal);
      }
      return true;
    } finally {
      cancelTimer();
      signal?.removeEventListener('abort', end);
    }
  };

  holdLease(request: LeaseRequest): Promise<boolean> {
    return this.whenOpen(({ leases }) => !this.capabilities.leases || leases.hold(request));
  }

  releaseLease(lease: Pick<LeaseRequest, 'name' | 'holder'>): Promise<void> {
    return this.whenOpen(({ leases }) => leases.release(lease));
  }

  recordKeyUses(uses: KeyUses): Promise<void> {
    return this.whenOpen(({ keyUses }) => {
      for (const [id, usedAt] of uses)
        if (usedAt > (keyUses.get(id) ?? '')) keyUses.set(id, usedAt);
    });
  }

  keyUses(ids: readonly KeyId[]): Promise<KeyUses> {
    return this.whenOpen(
      ({ keyUses }) =>
        new Map(
          ids.flatMap((id) => {
            const usedAt = keyUses.get(id);
            return usedAt === undefined ? [] : [[id, usedAt] as const];
          }),
        ),
    );
  }

  /** Ends this handle's waits. */
  close(): Promise<void> {
    this.isClosed = true;
    this.committed.changes.notify();
    return Promise.resolve();
  }

  private changing<T>(work: (committed: CommittedReadModels) => T): Promise<T> {
    return this.whenOpen((committed) => {
      const result = work(committed);
      committed.changes.notify();
      return result;
    });
  }

  private whenOpen<T>(work: (committed: CommittedReadModels) => T): Promise<T> {
    return new Promise((resolve) => resolve(work(this.requireOpen())));
  }

  private requireOpen(): CommittedReadModels {
    if (this.isClosed) throw new ReadStoreError('unavailable', 'this read store is closed');
    return this.committed;
  }
}
