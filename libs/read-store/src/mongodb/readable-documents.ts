import type { LogId } from '@refledger/contracts';
import type { Db } from 'mongodb';
import { documentIn, type DocumentText } from '../document.js';
import {
  ReadStoreError,
  ReadModelUnreadable,
  type ReadResult,
  type ReadStore,
  type ProjectionSpec,
} from '../read-store.js';
import { buildingBuild, readableBuild, type StoredBuild } from '../readable-build.js';
import { planQuery } from '../plan-query.js';
import type { BuildRegistry } from './build-registry.js';
import { findDocuments } from './find-documents.js';
import { asStoreErrors } from './store-error.js';
import { documentsOf } from './read-model-document.js';

/** The maximum number of build switches that one read tolerates before it fails. */
const maxSwitches = 20;

/** Reads from a build; undefined if this build can't serve the read. */
type ReadBuild<T> = (
  build: StoredBuild,
) => Promise<{ readonly value: T; readonly isEmpty: boolean } | undefined>;

/** Reads documents from the build that serves the reads of a projection. */
export class ReadableDocuments implements Pick<ReadStore, 'get' | 'find' | 'findJson'> {
  constructor(
    private readonly db: Db,
    private readonly registry: BuildRegistry,
  ) {}

  readonly get: ReadStore['get'] = (projection, logId, collection, id) =>
    this.fromReadable(projection, logId, async (build) => {
      if (!build.collections.some(({ name }) => name === collection)) return undefined;
      const found = await documentsOf(this.db, build, collection).findOne(
        { _id: id },
        { projection: { record: 1, internal: 1 } },
      );
      return { value: found === null ? undefined : documentIn(found), isEmpty: found === null };
    });

  readonly find: ReadStore['find'] = async (...query) => {
    const { value, position } = await this.findTexts(...query);
    return { value: value.map(documentIn).filter((document) => document !== undefined), position };
  };

  readonly findJson: ReadStore['findJson'] = async (...query) => {
    const { value, position } = await this.findTexts(...query);
    return {
      value: { count: value.length, text: value.map(({ record }) => record).join('\n') },
      position,
    };
  };

  private findTexts(
    ...[projection, logId, collection, query]: Parameters<ReadStore['find']>
  ): Promise<ReadResult<readonly DocumentText[]>> {
    return this.fromReadable(projection, logId, async (build) => {
      const path = planQuery(projection, build, collection, query);
      if (path === undefined) return undefined;
      const value = await findDocuments(documentsOf(this.db, build, collection), path, query);
      return { value, isEmpty: value.length === 0 };
    });
  }

  /** Reads the position before the documents, so the documents reflect at least that position. */
  private fromReadable<T>(
    projection: ProjectionSpec,
    logId: LogId,
    read: ReadBuild<T>,
  ): Promise<ReadResult<T>> {
    return asStoreErrors(async () => {
      for (let switches = 0; switches < maxSwitches; switches++) {
        const builds = await this.registry.ofProjection(projection.name);
        const build = readableBuild(builds, projection, logId);
        const result = build && (await this.resultOf(build, read));
        if (result === undefined)
          throw new ReadModelUnreadable(
            projection.name,
            buildingBuild(builds, projection, logId)?.checkpoint?.position,
          );
        if (result !== 'gone')
          return { value: result.value, position: build?.checkpoint?.position };
      }
      throw new ReadStoreError(
        'unavailable',
        `the builds of ${projection.name} changed too often during the read`,
      );
    });
  }

  /**
   * Reads from a build. `gone` if the build was dropped meanwhile, which may cause an empty result
   * or an error; then the caller reads from the build that is readable now.
   */
  private async resultOf<T>(build: StoredBuild, read: ReadBuild<T>) {
    const result = await read(build).catch(async (error: unknown) => {
      if (error instanceof TypeError || (await this.exists(build))) throw error;
      return 'gone' as const;
    });
    if (result === undefined || result === 'gone' || !result.isEmpty) return result;
    return (await this.exists(build)) ? result : ('gone' as const);
  }

  private async exists({ id, projection }: StoredBuild): Promise<boolean> {
    return (await this.registry.ofProjection(projection)).some((build) => build.id === id);
  }
}
