import { setTimeout as sleep } from 'node:timers/promises';
import {
  comparePositions,
  DomainError,
  toPosition,
  type BalanceId,
  type Position,
  type SourceCheckpoint,
} from '@refledger/contracts';
import type { CommandHandler } from '@refledger/application';
import { balanceDecider, type BalanceChange, type PayoutEnd } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import { Chapters, type BalanceOwner, type Chapter, type ChaptersOptions } from './chapters.js';

/** The outcome of changes to a balance. */
export interface PostingResult {
  /**
   * A position at or after all of them, including those made before; undefined if there were none.
   */
  readonly position: Position | undefined;
  readonly entries: number;
  /** How many times someone else had changed the balance in the meantime. */
  readonly conflicts: number;
}

/**
 * Posts changes to balances. It decides from cached states: a cache can only be behind, and then
 * the append conflicts, so that the balance is loaded and the changes are decided again.
 */
export class BalanceWriter {
  private readonly chapters: Chapters;

  constructor(
    log: EventLog,
    commands: Pick<CommandHandler, 'appendAt' | 'metadata'>,
    options: ChaptersOptions = {},
  ) {
    this.chapters = new Chapters(log, commands, options);
  }

  /**
   * Makes the changes that were not made before. They must be in the log's order. Only one caller
   * at a time may write the same balance. Throws `unavailable` if others keep changing it.
   */
  async post(owner: BalanceOwner, changes: readonly BalanceChange[]): Promise<PostingResult> {
    const posted = { position: undefined as Position | undefined, entries: 0, conflicts: 0 };
    let left = changes;
    // what the end of a payout changes depends on whether its reservation is known; if it changes
    // nothing, no append would tell that the cached balance is behind
    if (changes.some(endsPayout)) this.chapters.forget(owner.about.balance_id);
    for (let attempt = 0; attempt < maxAttempts;) {
      const chapter = await this.chapters.current(owner);
      posted.position = chapter.position;
      left = await this.unposted(owner, chapter, left);
      const batch = left.slice(0, maxChanges);
      const events = balanceDecider.decide(
        { type: 'post', changes: batch, chapterLength: this.chapters.length },
        chapter.state,
      );
      if (events.length === 0) {
        // none of these changes anything
        left = left.slice(batch.length);
        if (left.length === 0) return posted;
        continue;
      }
      const next = await this.chapters.append(owner, chapter, events);
      if (next === undefined) {
        posted.conflicts++;
        await sleep(Math.random() * Math.min(5 * 2 ** attempt++, 200));
        continue;
      }
      posted.entries += next.state.number - chapter.state.number;
    }
    throw new DomainError(
      'unavailable',
      `Balance ${owner.about.balance_id} was changed concurrently ${maxAttempts} times in a row.`,
    );
  }

  /** The changes that were not made before, as far as this state of the balance says. */
  private async unposted(
    { about }: BalanceOwner,
    chapter: Chapter,
    changes: readonly BalanceChange[],
  ): Promise<readonly BalanceChange[]> {
    const unposted: BalanceChange[] = [];
    for (const change of changes) {
      const isLifted = 'payout' in change && change.isLifted === true;
      if (
        isLifted
          ? await this.isToEnd(about.balance_id, chapter, change)
          : !isPosted(chapter, change)
      )
        unposted.push(change);
    }
    return unposted;
  }

  /**
   * Whether the end of a payout that is no longer skipped still has to be posted. Later sources may
   * have been posted since, so the payout decides: it is in flight, or it failed after it was
   * settled, and was not released because of this event.
   */
  private async isToEnd(
    balance: BalanceId,
    { state }: Chapter,
    { payout, source }: PayoutEnd,
  ): Promise<boolean> {
    if (payout.became === 'void' || payout.payout_id in state.inFlight) return true;
    return payout.became === 'failed' && !(await this.chapters.isReleased(balance, source));
  }

  /** Forgets the cached balances: the log may have been restored, and lack what they reflect. */
  forget(): void {
    this.chapters.forget();
  }
}

/** How many changes one append may make: some 100 KiB of entries. */
const maxChanges = 200;

const maxAttempts = 10;

const endsPayout = (change: BalanceChange): boolean => 'payout' in change;

/** The end of a void reservation is posted once because the reservation is in flight only once. */
const isPosted = ({ through }: Chapter, change: BalanceChange): boolean =>
  ('entry' in change || change.payout.became !== 'void') && isThrough(through, change.source);

const isThrough = (through: Position | undefined, { position }: SourceCheckpoint): boolean => {
  const at = toPosition(position);
  return through !== undefined && at !== undefined && comparePositions(at, through) <= 0;
};
