import {
  comparePositions,
  DomainError,
  laterOf,
  type LogId,
  type Position,
} from '@refledger/contracts';
import { ReadModelUnreadable, type ProjectionSpec, type ReadStore } from '@refledger/read-store';
import type { Consistency, Reader, ReadWaits } from './consistency.js';

/** How far posting has got. */
export interface PostedThrough {
  /** Posting has handled every event up to here; undefined before the first one. */
  readonly position: Position | undefined;
  /** A read model that has reached this position shows everything that was posted up to there. */
  readonly postedPosition: Position | undefined;
  /**
   * Log time at `position`. Only an operator's decision lets a later entry have an earlier time.
   */
  readonly logTime: string | null;
  /** The revision of the last decision that log time takes into account; -1 for none. */
  readonly decidedRevision: number;
}

/** The event processor that posts entries. */
export interface PostingReads {
  /** It has the checkpoint of this projection. */
  readonly projection: ProjectionSpec;
  /** Throws `ReadModelUnreadable` before its first start. */
  postedThrough(): Promise<PostedThrough>;
}

export interface LedgerConsistencyParts {
  readonly consistency: Pick<Consistency, 'logId' | 'wanted' | 'isBeyondTheLog' | 'readHead'>;
  readonly store: Pick<ReadStore, 'waitForPosition'>;
  readonly posting: PostingReads;
  readonly waits: ReadWaits;
  /** How long one read may wait in total. */
  readonly timeoutMs: number;
}

/**
 * Makes reads of balances and entries see every entry caused by their account's writes on this
 * gateway, and by events up to the position that they ask for. A read that cannot see them never
 * returns less: it throws `ledger_behind`.
 */
export class LedgerConsistency {
  constructor(private readonly parts: LedgerConsistencyParts) {}

  get logId(): LogId {
    return this.parts.consistency.logId;
  }

  /**
   * Waits until posting has reached the position that the read must reflect, then until the
   * projections show it; without projections, the log itself does. Returns that position. Throws
   * `ledger_behind` if it takes too long, or if too many reads are waiting.
   */
  async settle(
    projections: readonly ProjectionSpec[],
    reader: Reader,
    asked: Position | undefined,
  ): Promise<Position | undefined> {
    const wanted = this.parts.consistency.wanted(reader.accountId, asked);
    if (await this.isSettled(projections, wanted)) return wanted;
    await this.wait(reader, asked, async (waitUntil) => {
      if (wanted !== undefined) await waitUntil(this.parts.posting.projection, wanted);
      const shown = shownAt(wanted, await this.postedThrough());
      if (shown === undefined) return;
      for (const projection of projections) await waitUntil(projection, shown);
    });
    return wanted;
  }

  /**
   * Waits until posting has reached what is now the end of the log. Throws `ledger_behind` if that
   * takes too long.
   */
  async settleAtHead(reader: Reader): Promise<void> {
    await this.settle([], reader, await this.parts.consistency.readHead());
  }

  /** Waits only until a projection has reached a past position. */
  async settleAt(projection: ProjectionSpec, reader: Reader, position: Position): Promise<void> {
    await this.wait(reader, position, (waitUntil) => waitUntil(projection, position));
  }

  /** How far posting has got. Before its first start, it has reached nothing. */
  postedThrough(): Promise<PostedThrough> {
    return this.parts.posting.postedThrough().catch(nothingIfUnreadable);
  }

  /** Whether everything is in place. Nearly always it is, and the read does not wait. */
  private async isSettled(
    projections: readonly ProjectionSpec[],
    wanted: Position | undefined,
  ): Promise<boolean> {
    const posted = await this.postedThrough();
    const shown = shownAt(wanted, posted);
    if (!hasReached(posted.position, wanted)) return false;
    if (shown === undefined) return true;
    const { store } = this.parts;
    const reached = await Promise.all(
      projections.map((projection) =>
        store.waitForPosition(projection, this.logId, shown, { timeoutMs: 0 }),
      ),
    );
    return reached.every(Boolean);
  }

  private async wait(
    reader: Reader,
    asked: Position | undefined,
    steps: (waitUntil: WaitUntil) => Promise<void>,
  ): Promise<void> {
    const { consistency, store, waits, timeoutMs } = this.parts;
    if (asked !== undefined && (await consistency.isBeyondTheLog(asked)))
      throw behindError(
        `Position ${asked} is beyond the end of the event log. Send the Refledger-Position of a response.`,
      );
    const deadline = performance.now() + timeoutMs;
    const waitUntil: WaitUntil = async (projection, position) => {
      const left = Math.max(0, deadline - performance.now());
      if (await store.waitForPosition(projection, this.logId, position, { timeoutMs: left }))
        return;
      throw behindError(
        `${projection === this.parts.posting.projection ? 'The ledger' : 'The read model'} did not reach position ${position} within ${timeoutMs} ms. Retry later.`,
      );
    };
    await waits.run(reader, () => steps(waitUntil)).catch(asLedgerBehind);
  }
}

/** Resolves once a projection has reached a position. Throws `ledger_behind` after the deadline. */
type WaitUntil = (projection: ProjectionSpec, position: Position) => Promise<void>;

const hasReached = (position: Position | undefined, wanted: Position | undefined): boolean =>
  wanted === undefined || (position !== undefined && comparePositions(position, wanted) >= 0);

/** The position at which a read model shows what the read must reflect. */
const shownAt = (
  wanted: Position | undefined,
  { postedPosition }: PostedThrough,
): Position | undefined => laterOf(wanted, postedPosition);

const behindError = (detail: string): DomainError => new DomainError('ledger_behind', detail);

/** A read of balances that finds a read model behind fails with `ledger_behind`, too. */
export const asLedgerBehind = (error: unknown): never => {
  if (error instanceof DomainError && error.code === 'read_model_behind')
    throw behindError(error.message);
  if (error instanceof ReadModelUnreadable)
    throw behindError(`The read model ${error.projection} is being built. Retry later.`);
  throw error;
};

const nothingIfUnreadable = (error: unknown): PostedThrough => {
  if (!(error instanceof ReadModelUnreadable)) throw error;
  return { position: undefined, postedPosition: undefined, logTime: null, decidedRevision: -1 };
};
