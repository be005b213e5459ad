import { openDatabase, transaction, type Database } from '@refledger/sqlite';
import { ClusterState } from './cluster-state.js';
import { doubleFormat } from './double.format.js';
import {
  checkAppend,
  deletedRevision,
  type Append,
  type AppendResult,
  type ProposedRecord,
  type StreamState,
} from '../appending/append-check.js';
import { recordStatements } from './record-statements.js';

/** A record of the log. */
export interface StoredRecord extends ProposedRecord {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly created: number;
}

/**
 * The records on disk. Several processes may share a file, because nothing is kept in memory but
 * the ids with which an append with `any` is compared.
 */
export class DoubleStore {
  /** The state that the doubles with this file share. */
  readonly cluster: ClusterState;
  private readonly db: Database;
  private readonly sql: ReturnType<typeof recordStatements>;
  /** The last position that readers are shown. */
  private bound = Infinity;
  private readonly idsSeen = new Map<
    string,
    { readonly stream: string; readonly revision: number }
  >();

  constructor(
    file: string,
    private readonly noiseEvery: number,
  ) {
    this.db = openDatabase(file, {
      format: doubleFormat,
      synchronous: 'normal',
      cacheBytes: 32 * 1024 * 1024,
    });
    this.sql = recordStatements(this.db);
    this.cluster = new ClusterState(this.db);
    transaction(this.db, () => {
      if (this.head() === undefined)
        for (const stream of ['$settings', '$user-admin', '$users'])
          this.put(stream, 0, systemRecord('$UserCreated', { loginName: 'admin' }));
    });
  }

  /** Makes all appends in one transaction, and returns one result per append. */
  appendAll(appends: readonly Append[]): AppendResult[] {
    return transaction(this.db, () => appends.map((append) => this.append(append)));
  }

  /**
   * Soft-deletes a stream: writes the metadata that makes it empty until it is written to again.
   * Returns the position of that metadata.
   */
  softDelete(stream: string): number {
    return transaction(this.db, () =>
      this.put(
        `$$${stream}`,
        this.lastRevision(`$$${stream}`) + 1,
        systemRecord('$metadata', { $tb: deletedRevision }),
      ),
    );
  }

  tombstone(stream: string): number {
    return transaction(this.db, () =>
      this.put(stream, deletedRevision, systemRecord('$streamDeleted', {})),
    );
  }

  /**
   * Returns what a reader of the stream can see: its last revision (-1 for none) and the first one
   * that is left.
   */
  state(stream: string): StreamState {
    const last = this.lastRevision(stream);
    const meta = stream.startsWith('$$') ? { $maxCount: 1 } : this.metadata(stream);
    const truncateBefore = meta.$tb ?? 0;
    return {
      last,
      isDeleted: truncateBefore >= deletedRevision,
      first: Math.max(truncateBefore, meta.$maxCount === undefined ? 0 : last - meta.$maxCount + 1),
    };
  }

  readStream(stream: string, from: number, backwards: boolean, limit: number): StoredRecord[] {
    return this.shown(
      (backwards ? this.sql.streamBackwards : this.sql.streamForwards).all(stream, from, limit),
    );
  }

  /** Returns the records at or after a position or, backward, those before it. */
  readAll(position: number, backwards: boolean, limit: number): StoredRecord[] {
    return this.shown(
      (backwards ? this.sql.backwards : this.sql.forwards).all(
        backwards ? Math.min(position, this.bound + 1) : position,
        limit,
      ),
    );
  }

  head(): number | undefined {
    if (this.bound !== Infinity) return this.readAll(Number.MAX_SAFE_INTEGER, true, 1)[0]?.position;
    return (this.sql.head.get() as { position: number | null }).position ?? undefined;
  }

  /** Whether a record starts at the position, or the log does not reach it. */
  isPosition(position: number): boolean {
    return (
      position === 0 || position > (this.head() ?? 0) || this.sql.at.get(position) !== undefined
    );
  }

  /**
   * Whether the double at this address is behind: it believes that it leads, and its log ends
   * earlier. From then on the store shows only that shorter log.
   */
  isBehind(address: string): boolean {
    const end = this.cluster.endFor(address);
    this.bound = end ?? Infinity;
    return end !== undefined;
  }

  /** From now on, this double sees the log end where it ends now. */
  stopReplicating(address: string): void {
    this.cluster.endAt(address, this.head() ?? 0);
  }

  close(): void {
    this.db.close();
  }

  private append(append: Append): AppendResult {
    const { stream, events } = append;
    const check = checkAppend(append, this.state(stream), {
      idAt: (revision) => (this.sql.idAt.get(stream, revision) as { id: string } | undefined)?.id,
      revisionSeen: (id) =>
        this.idsSeen.get(id)?.stream === stream ? this.idsSeen.get(id)?.revision : undefined,
    });
    if (check.kind === 'repeated')
      return { ...check, position: this.positionOf(stream, check.revision) };
    if (check.kind !== 'append') return check;
    let position = 0;
    events.forEach((event, index) => {
      const revision = check.after + 1 + index;
      position = this.put(stream, revision, event);
      this.idsSeen.set(event.id, { stream, revision });
    });
    // an append recreates a soft-deleted stream, from that event on
    if (check.recreates)
      this.put(
        `$$${stream}`,
        this.lastRevision(`$$${stream}`) + 1,
        systemRecord('$metadata', { $tb: check.after + 1 }),
      );
    return { kind: 'appended', revision: check.after + events.length, position };
  }

  private positionOf(stream: string, revision: number): number | undefined {
    const { first, isDeleted } = this.state(stream);
    return isDeleted || revision < first
      ? undefined
      : (this.sql.positionAt.get(stream, revision) as { position: number } | undefined)?.position;
  }

  /**
   * Writes a record and returns its position. Positions are byte offsets in a file, as on the
   * server, so they are never consecutive.
   */
  private put(stream: string, revision: number, record: ProposedRecord): number {
    const position = (this.head() ?? 0) + 101 + record.data.length + record.metadata.length;
    this.sql.insert.run(
      position,
      stream,
      revision,
      record.id,
      record.type,
      record.contentType,
      record.data,
      record.metadata,
      Date.now(),
    );
    if (this.noiseEvery > 0 && position % this.noiseEvery === 0) {
      this.sql.insert.run(
        position + 101,
        '$stats-127.0.0.1:2113',
        this.lastRevision('$stats-127.0.0.1:2113') + 1,
        crypto.randomUUID(),
        '$statsCollected',
        jsonContent,
        Buffer.from('{}'),
        Buffer.alloc(0),
        Date.now(),
      );
    }
    return position;
  }

  private shown(rows: readonly unknown[]): StoredRecord[] {
    return rows.map(toRecord).filter(({ position }) => position <= this.bound);
  }

  private lastRevision(stream: string): number {
    if (this.bound !== Infinity)
      return (
        this.shown(
          this.sql.streamBackwards.all(stream, deletedRevision, Number.MAX_SAFE_INTEGER),
        )[0]?.revision ?? -1
      );
    return (this.sql.last.get(stream) as { revision: number | null }).revision ?? -1;
  }

  private metadata(stream: string): { readonly $tb?: number; readonly $maxCount?: number } {
    const last = this.readStream(`$$${stream}`, deletedRevision, true, 1)[0];
    return last === undefined
      ? {}
      : (JSON.parse(Buffer.from(last.data).toString()) as { $tb?: number; $maxCount?: number });
  }
}

const jsonContent = 'application/json';
const systemRecord = (type: string, data: unknown): ProposedRecord => ({
  id: crypto.randomUUID(),
  type,
  contentType: jsonContent,
  data: Buffer.from(JSON.stringify(data)),
  metadata: Buffer.alloc(0),
});

const toRecord = (row: unknown): StoredRecord => row as StoredRecord;
