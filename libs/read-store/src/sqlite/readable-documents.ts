import type { LogId } from '@refledger/contracts';
import type { Database } from '@refledger/sqlite';
import {
  ReadModelUnreadable,
  type Document,
  type Found,
  type JsonLines,
  type Query,
  type ReadStore,
  type ProjectionSpec,
} from '../read-store.js';
import { buildingBuild, readableBuild } from '../readable-build.js';
import { planQuery } from '../plan-query.js';
import type { StoredBuild } from './builds-table.js';
import { tableOf } from './collection-table.js';
import { toDocument } from './document-row.js';
import { findDocuments } from './find-documents.js';
import { promised } from './promised.js';
import type { StatementCache } from './statement-cache.js';
import { asStoreErrors } from './store-error.js';
import type { TickSnapshot } from './tick-snapshot.js';

/** Reads documents from the build that reads of a projection use. */
export class ReadableDocuments implements Pick<ReadStore, 'get' | 'find' | 'findJson'> {
  constructor(
    private readonly db: Database,
    private readonly snapshot: TickSnapshot,
    private readonly statements: StatementCache,
  ) {}

  get(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    id: string,
  ): Promise<Found<Document | undefined>> {
    return this.fromReadable(projection, logId, (build) => {
      if (!build.collections.some(({ name }) => name === collection)) return undefined;
      const row = this.statements
        .get(`SELECT document FROM ${tableOf(build, collection)} WHERE id = ?`)
        .get(id) as { document: string | null } | undefined;
      return {
        value: row === undefined || row.document === null ? undefined : toDocument(row.document),
      };
    });
  }

  async find(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<readonly Document[]>> {
    const { value, position } = await this.findJson(projection, logId, collection, query);
    return { value: value.count === 0 ? [] : value.text.split('\n').map(toDocument), position };
  }

  findJson(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<JsonLines>> {
    return this.fromReadable(projection, logId, (build) => {
      const way = planQuery(projection, build, collection, query);
      return (
        way && { value: findDocuments(this.statements, tableOf(build, collection), way, query) }
      );
    });
  }

  /**
   * Reads build, documents and position at one instant, so a switch or a drop of builds never
   * shows. `read` returns undefined if the build can't answer; then this throws
   * `ReadModelUnreadable`.
   */
  private fromReadable<T>(
    projection: ProjectionSpec,
    logId: LogId,
    read: (build: StoredBuild) => { readonly value: T } | undefined,
  ): Promise<Found<T>> {
    return promised(() =>
      asStoreErrors(this.db.file, () =>
        this.snapshot.read(() => {
          const builds = this.snapshot.buildsOf(projection.name);
          const build = readableBuild(builds, projection, logId);
          const answer = build && read(build);
          if (answer === undefined)
            throw new ReadModelUnreadable(
              projection.name,
              buildingBuild(builds, projection, logId)?.checkpoint?.position,
            );
          return { value: answer.value, position: build?.checkpoint?.position };
        }),
      ),
    );
  }
}
