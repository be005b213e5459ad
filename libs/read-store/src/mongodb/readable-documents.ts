import type { LogId } from '@refledger/contracts';
import type { Db } from 'mongodb';
import {
  ReadStoreError,
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
import type { BuildRegistry, StoredBuild } from './build-registry.js';
import { findDocuments } from './find-documents.js';
import { asStoreErrors } from './store-error.js';
import { documentsOf, toDocument } from './read-model-document.js';

/** The most switches of builds that one read tolerates before it gives up. */
const mostSwitches = 20;

/** Reads from a build; undefined if this build can't answer. */
type ReadBuild<T> = (
  build: StoredBuild,
) => Promise<{ readonly value: T; readonly isEmpty: boolean } | undefined>;

/** Reads documents from the build that reads of a projection use. */
export class ReadableDocuments implements Pick<ReadStore, 'get' | 'find' | 'findJson'> {
  constructor(
    private readonly db: Db,
    private readonly registry: BuildRegistry,
  ) {}

  get(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    id: string,
  ): Promise<Found<Document | undefined>> {
    return this.fromReadable(projection, logId, async (build) => {
      if (!build.collections.some(({ name }) => name === collection)) return undefined;
      const found = await documentsOf(this.db, build, collection).findOne(
        { _id: id },
        { projection: { json: 1 } },
      );
      return {
        value: found?.json === undefined ? undefined : toDocument(found.json),
        isEmpty: found === null,
      };
    });
  }

  async find(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<readonly Document[]>> {
    const { value, position } = await this.findTexts(projection, logId, collection, query);
    return { value: value.map(toDocument), position };
  }

  async findJson(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<JsonLines>> {
    const { value, position } = await this.findTexts(projection, logId, collection, query);
    return { value: { count: value.length, text: value.join('\n') }, position };
  }

  private findTexts(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<readonly string[]>> {
    return this.fromReadable(projection, logId, async (build) => {
      const way = planQuery(projection, build, collection, query);
      if (way === undefined) return undefined;
      const value = await findDocuments(documentsOf(this.db, build, collection), way, query);
      return { value, isEmpty: value.length === 0 };
    });
  }

  /** Reads the position before the documents, so the documents reflect at least that position. */
  private fromReadable<T>(
    projection: ProjectionSpec,
    logId: LogId,
    read: ReadBuild<T>,
  ): Promise<Found<T>> {
    return asStoreErrors(async () => {
      for (let switches = 0; switches < mostSwitches; switches++) {
        const builds = await this.registry.ofProjection(projection.name);
        const build = readableBuild(builds, projection, logId);
        const answer = build && (await this.answerOf(build, read));
        if (answer === undefined)
          throw new ReadModelUnreadable(
            projection.name,
            buildingBuild(builds, projection, logId)?.checkpoint?.position,
          );
        if (answer !== 'gone')
          return { value: answer.value, position: build?.checkpoint?.position };
      }
      throw new ReadStoreError(
        'unavailable',
        `the builds of ${projection.name} change too often to be read`,
      );
    });
  }

  /**
   * Reads from a build. `gone` if the build was dropped meanwhile, which may cause an empty answer
   * or an error; then the caller asks the build that is readable now.
   */
  private async answerOf<T>(build: StoredBuild, read: ReadBuild<T>) {
    const answer = await read(build).catch(async (error: unknown) => {
      if (error instanceof TypeError || (await this.isThere(build))) throw error;
      return 'gone' as const;
    });
    if (answer === undefined || answer === 'gone' || !answer.isEmpty) return answer;
    return (await this.isThere(build)) ? answer : ('gone' as const);
  }

  private async isThere({ id, projection }: StoredBuild): Promise<boolean> {
    return (await this.registry.ofProjection(projection)).some((build) => build.id === id);
  }
}
