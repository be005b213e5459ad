import type { LogId } from '@refledger/contracts';
import {
  buildingBuild,
  readableBuild,
  ReadModelUnreadable,
  type Document,
  type ReadResult,
  type JsonLines,
  type ProjectionSpec,
  type Query,
} from '@refledger/read-store';
import { documentIn, planQuery, type StoredBuild } from '@refledger/read-store/adapter';
import type { CommittedDocument } from './committed-document.js';
import type { CommittedReadModels } from './committed-read-models.js';
import { findDocuments } from './find-documents.js';

/** Reads documents from the build that serves the reads of a projection, at one instant. */
export class ReadableDocuments {
  constructor(
    private readonly committed: CommittedReadModels,
    private readonly projection: ProjectionSpec,
    private readonly logId: LogId,
  ) {}

  get(collection: string, id: string): ReadResult<Document | undefined> {
    return this.fromReadable((build) => {
      if (!build.collections.some(({ name }) => name === collection)) return undefined;
      const found = this.committed.collection(build, collection).get(id);
      return { value: found && documentIn(found) };
    });
  }

  find(collection: string, query: Query): ReadResult<readonly Document[]> {
    const { value, position } = this.found(collection, query);
    return { value: value.map(documentIn).filter((document) => document !== undefined), position };
  }

  findJson(collection: string, query: Query): ReadResult<JsonLines> {
    const { value, position } = this.found(collection, query);
    const text = value.map(({ record }) => record).join('\n');
    return { value: { count: value.length, text }, position };
  }

  private found(collection: string, query: Query): ReadResult<readonly CommittedDocument[]> {
    return this.fromReadable((build) =>
      planQuery(this.projection, build, collection, query) === undefined
        ? undefined
        : { value: findDocuments(this.committed.collection(build, collection), query) },
    );
  }

  /** `read` returns undefined if the build can't serve the read. */
  private fromReadable<T>(
    read: (build: StoredBuild) => { readonly value: T } | undefined,
  ): ReadResult<T> {
    const builds = this.committed.builds.ofProjection(this.projection.name);
    const build = readableBuild(builds, this.projection, this.logId);
    const result = build && read(build);
    if (result === undefined) {
      const building = buildingBuild(builds, this.projection, this.logId);
      throw new ReadModelUnreadable(this.projection.name, building?.checkpoint?.position);
    }
    return { value: result.value, position: build?.checkpoint?.position };
  }
}
