import { createHash } from 'node:crypto';
import type { Checkpoint, LogId } from '@refledger/contracts';
import type { Database } from '@refledger/sqlite';
import {
  BuildNotFoundError,
  type Build,
  type CollectionSpec,
  type ProjectionSpec,
} from '../read-store.js';
import type { StoredBuild } from '../readable-build.js';
import { buildIdIn, createIndex, createTable, dropTable, tableOf } from './collection-table.js';
import { fromInteger } from '../document.js';
import { toInteger } from './values.js';

/** The table `builds`, oldest build first. The caller opens the transaction. */
export class BuildsTable {
  private readonly statements;
  private readonly specs = new Map<string, readonly CollectionSpec[]>();

  constructor(private readonly db: Database) {
    const columns =
      'id, projection, version, log_id, collections, state, CAST(position AS TEXT) AS position, event_id';
    this.statements = {
      all: db.prepare<BuildRow>(`SELECT ${columns} FROM builds ORDER BY seq`),
      ofProjection: db.prepare<BuildRow>(
        `SELECT ${columns} FROM builds WHERE projection = ? ORDER BY seq`,
      ),
      one: db.prepare<BuildRow>(`SELECT ${columns} FROM builds WHERE id = ?`),
      insert: db.prepare(
        `INSERT INTO builds (id, projection, version, log_id, collections, state) VALUES (?, ?, ?, ?, ?, 'building')`,
      ),
      goLive: db.prepare(`UPDATE builds SET state = 'live' WHERE id = ?`),
      further: db.prepare(
        `SELECT 1 FROM builds AS mine JOIN builds AS other USING (projection, log_id)
         WHERE mine.id = ? AND other.id <> mine.id AND other.state = 'live' AND other.version <= mine.version AND other.position > coalesce(mine.position, -1)`,
      ),
      remove: db.prepare('DELETE FROM builds WHERE id = ?'),
      raise: db.prepare(
        `UPDATE builds SET event_id = iif(position IS NULL OR position < :position, :event_id, event_id), position = max(coalesce(position, :position), :position) WHERE id = :id`,
      ),
    };
  }

  all(): readonly StoredBuild[] {
    return this.statements.all.all().map(this.toBuild);
  }

  ofProjection(projection: string): readonly StoredBuild[] {
    return this.statements.ofProjection.all(projection).map(this.toBuild);
  }

  /** The stored build. Throws `BuildNotFoundError`. */
  present(build: Pick<Build, 'id' | 'projection'>): StoredBuild {
    const row = this.statements.one.get(build.id);
    if (row === undefined) throw new BuildNotFoundError(build);
    return this.toBuild(row);
  }

  create(projection: ProjectionSpec, logId: LogId, cause: string): StoredBuild {
    const { name, version, collections } = projection;
    const build = { id: idOf(projection, logId, cause), projection: name, version };
    if (this.statements.one.get(build.id) === undefined) {
      this.statements.insert.run(build.id, name, version, logId, JSON.stringify(collections));
      for (const collection of collections)
        this.db.exec(createTable(tableOf(build, collection.name), collection));
    }
    return this.present(build);
  }

  /**
   * SQL that creates the indexes of a build. Filling a build before it has indexes is several times
   * as fast. Throws `BuildNotFoundError`.
   */
  indexes(build: Build): readonly string[] {
    return this.present(build).collections.flatMap((collection) =>
      collection.indexes.map((index) => createIndex(tableOf(build, collection.name), index)),
    );
  }

  /** Whether any collection of the build has more than `count` documents. */
  holdsMoreThan(build: Build, count: number): boolean {
    const row = this.statements.one.get(build.id);
    return (
      row !== undefined &&
      this.toBuild(row).collections.some(
        ({ name }) =>
          this.db.prepare(`SELECT 1 FROM ${tableOf(build, name)} LIMIT 1 OFFSET ?`).get(count) !==
          undefined,
      )
    );
  }

  /**
   * Requires that the indexes of the build exist. False if a live build of this log and of this
   * version or an earlier one is further ahead. Throws `BuildNotFoundError`.
   */
  goLive(build: Build): boolean {
    const { state } = this.present(build);
    if (state === 'live') return true;
    if (this.statements.further.get(build.id) !== undefined) return false;
    this.statements.goLive.run(build.id);
    return true;
  }

  drop(build: Build): void {
    const row = this.statements.one.get(build.id);
    if (row === undefined) return;
    for (const collection of this.toBuild(row).collections)
      this.db.exec(dropTable(tableOf(build, collection.name), collection));
    this.statements.remove.run(build.id);
    this.specs.delete(build.id);
  }

  /** The tables of builds that no longer exist, left behind by a release with another layout. */
  leftoverTables(): readonly string[] {
    const tables = this.db
      .prepare<{ readonly name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
      .all();
    const ids = new Set(this.all().map(({ id }) => id));
    return tables
      .map(({ name }) => name)
      .filter((name) => {
        const id = buildIdIn(name);
        return id !== undefined && !ids.has(id);
      });
  }

  dropLeftoverTables(): void {
    for (const name of this.leftoverTables()) this.db.exec(`DROP TABLE "${name}"`);
  }

  /** Raises the checkpoint, never lowers it. False if the build doesn't exist. */
  raise({ id }: Build, { position, eventId }: Checkpoint): boolean {
    return (
      this.statements.raise.run({ id, position: toInteger(position), event_id: eventId }).changes >
      0
    );
  }

  /**
   * The collections as declared when the build was created. Throws `BuildNotFoundError` unless
   * cached.
   */
  collections(build: Build): readonly CollectionSpec[] {
    return this.specs.get(build.id) ?? this.present(build).collections;
  }

  private readonly toBuild = (row: BuildRow): StoredBuild => ({
    id: row.id,
    projection: row.projection,
    version: row.version,
    logId: row.log_id,
    state: row.state,
    checkpoint:
      row.position === null || row.event_id === null
        ? undefined
        : { logId: row.log_id, position: fromInteger(row.position), eventId: row.event_id },
    collections: this.collectionsOf(row),
  });

  /** Cached, because the collections of a build never change. */
  private collectionsOf({ id, collections }: BuildRow): readonly CollectionSpec[] {
    const known = this.specs.get(id);
    if (known !== undefined) return known;
    const parsed = JSON.parse(collections) as readonly CollectionSpec[];
    this.specs.set(id, parsed);
    return parsed;
  }
}

interface BuildRow {
  readonly id: string;
  readonly projection: string;
  readonly version: number;
  readonly log_id: string;
  readonly collections: string;
  readonly state: Build['state'];
  readonly position: string | null;
  readonly event_id: string | null;
}

const idOf = (projection: ProjectionSpec, logId: LogId, cause: string): string =>
  createHash('sha256')
    .update(JSON.stringify([projection.name, projection.version, logId, cause]))
    .digest('hex')
    .slice(0, 16);
