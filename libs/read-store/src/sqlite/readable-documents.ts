import type { LogId } from '@refledger/contracts';
import type { Database } from '@refledger/sqlite';
import {
  ViewUnreadable,
  type Document,
  type Found,
  type JsonLines,
  type Query,
  type ReadStore,
  type ViewSpec,
} from '../read-store.js';
import { buildingBuild, readableBuild } from '../readable-build.js';
import { wayFor } from '../way-for.js';
import type { StoredBuild } from './builds-table.js';
import { tableOf } from './collection-table.js';
import { toDocument } from './document-row.js';
import { findDocuments } from './find-documents.js';
import { promised } from './promised.js';
import type { StatementCache } from './statement-cache.js';
import { asStoreErrors } from './store-error.js';
import type { TurnSnapshot } from './turn-snapshot.js';

/** The documents of the build that reads of a view use. */
export class ReadableDocuments implements Pick<ReadStore, 'get' | 'find' | 'findJson'> {
  constructor(
    private readonly db: Database,
    private readonly snapshot: TurnSnapshot,
    private readonly statements: StatementCache,
  ) {}

  get(
    view: ViewSpec,
    logId: LogId,
    collection: string,
    id: string,
  ): Promise<Found<Document | undefined>> {
    return this.fromReadable(view, logId, (build) => {
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
    view: ViewSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<readonly Document[]>> {
    const { value, position } = await this.findJson(view, logId, collection, query);
    return { value: value.count === 0 ? [] : value.text.split('\n').map(toDocument), position };
  }

  findJson(
    view: ViewSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<JsonLines>> {
    return this.fromReadable(view, logId, (build) => {
      const way = wayFor(view, build, collection, query);
      return (
        way && { value: findDocuments(this.statements, tableOf(build, collection), way, query) }
      );
    });
  }

  /** Build, documents and position are of one instant, so a switch of builds or a drop never shows. `undefined` says that this build can't answer. */
  private fromReadable<T>(
    view: ViewSpec,
    logId: LogId,
    read: (build: StoredBuild) => { readonly value: T } | undefined,
  ): Promise<Found<T>> {
    return promised(() =>
      asStoreErrors(this.db.file, () =>
        this.snapshot.read(() => {
          const builds = this.snapshot.buildsOf(view.name);
          const build = readableBuild(builds, view, logId);
          const answer = build && read(build);
          if (answer === undefined)
            throw new ViewUnreadable(
              view.name,
              buildingBuild(builds, view, logId)?.checkpoint?.position,
            );
          return { value: answer.value, position: build?.checkpoint?.position };
        }),
      ),
    );
  }
}
