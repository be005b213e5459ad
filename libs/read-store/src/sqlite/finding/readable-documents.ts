import type { LogId } from '@refledger/contracts';
import type { Database } from '@refledger/sqlite';
import { documentIn, type DocumentText } from '../../document.js';
import {
  ReadModelUnreadable,
  type ReadResult,
  type Query,
  type ReadStore,
  type ProjectionSpec,
} from '../../read-store.js';
import { buildingBuild, readableBuild, type StoredBuild } from '../../readable-build.js';
import { planQuery } from '../../plan-query.js';
import { tableOf } from '../collection-table.js';
import { findDocuments, findRecords, type Source } from './find-documents.js';
import { promised } from '../promised.js';
import type { StatementCache } from '../statement-cache.js';
import { asStoreErrors } from '../store-error.js';
import type { TickSnapshot } from './tick-snapshot.js';

/** Reads documents from the build that serves the reads of a projection. */
export class ReadableDocuments implements Pick<ReadStore, 'get' | 'find' | 'findJson'> {
  constructor(
    private readonly db: Database,
    private readonly snapshot: TickSnapshot,
    private readonly statements: StatementCache,
  ) {}

  readonly get: ReadStore['get'] = (projection, logId, collection, id) =>
    this.fromReadable(projection, logId, (build) => {
      if (!build.collections.some(({ name }) => name === collection)) return undefined;
      const row = this.statements
        .prepare<DocumentText>(
          `SELECT record, internal FROM ${tableOf(build, collection)} WHERE id = ?`,
        )
        .get(id);
      return { value: row && documentIn(row) };
    });

  readonly find: ReadStore['find'] = (projection, logId, collection, query) =>
    this.fromReadable(projection, logId, (build) => {
      const source = this.sourceOf(projection, build, collection, query);
      return source && { value: findDocuments(source, query) };
    });

  readonly findJson: ReadStore['findJson'] = (projection, logId, collection, query) =>
    this.fromReadable(projection, logId, (build) => {
      const source = this.sourceOf(projection, build, collection, query);
      return source && { value: findRecords(source, query) };
    });

  private sourceOf(
    projection: ProjectionSpec,
    build: StoredBuild,
    collection: string,
    query: Query,
  ): Source | undefined {
    const path = planQuery(projection, build, collection, query);
    return path && { statements: this.statements, table: tableOf(build, collection), path };
  }

  /**
   * Reads build, documents and position at one instant, so a switch or a drop of builds never
   * shows. `read` returns undefined if the build can't serve the read; then this throws
   * `ReadModelUnreadable`.
   */
  private fromReadable<T>(
    projection: ProjectionSpec,
    logId: LogId,
    read: (build: StoredBuild) => { readonly value: T } | undefined,
  ): Promise<ReadResult<T>> {
    return promised(() =>
      asStoreErrors(this.db.file, () =>
        this.snapshot.read(() => {
          const builds = this.snapshot.buildsOf(projection.name);
          const build = readableBuild(builds, projection, logId);
          const result = build && read(build);
          if (result === undefined)
            throw new ReadModelUnreadable(
              projection.name,
              buildingBuild(builds, projection, logId)?.checkpoint?.position,
            );
          return { value: result.value, position: build?.checkpoint?.position };
        }),
      ),
    );
  }
}
