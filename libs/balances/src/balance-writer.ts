import { setTimeout as sleep } from 'node:timers/promises';
import {
  comparePositions,
  DomainError,
  eventIdOf,
  isStreamName,
  toPosition,
  type AccountId,
  type BalanceEvent,
  type BalanceId,
  type Position,
  type SourceCheckpoint,
  type StreamName,
} from '@refledger/contracts';
import { newContext, type CommandHandler } from '@refledger/application';
import {
  balanceDecider,
  chapterLength,
  chainStart,
  firstOpening,
  metaOf,
  openingOf,
  type BalanceAbout,
  type BalanceState,
  type Posting,
} from '@refledger/domain';
import { encodeEvent, loadStream, type EventLog, type Folded } from '@refledger/event-log';
import { LRUCache } from 'lru-cache';
import { chapterStream, currentChapter } from './balance-streams.js';

export interface BalanceWriterOptions {
  /** The length of a full chapter; default `chapterLength`. */
  readonly chapterLength?: number;
  /** How many ranges of open entries one `balance.carried` may hold; default some 2,500. */
  readonly carriedRanges?: number;
  /** How many ranges of open entries the cached balances may have in total. */
  readonly cachedRanges?: number;
}

/** The role that writes balances: the actor of their events. */
const ledgerName = 'ledger';

/** The outcome of postings. */
export interface Posted {
  /**
   * A position at or after all of their entries, including those posted before; undefined if there
   * were no postings.
   */
  readonly position: Position | undefined;
  readonly entries: number;
  /** How many times somebody else had changed the balance in the meantime. */
  readonly conflicts: number;
}

/** Whose balance it is. */
export interface BalanceOwner {
  readonly accountId: AccountId;
  readonly about: BalanceAbout;
}

/**
 * Appends entries to balances. It decides from cached states: a cache can only be behind, and then
 * the append conflicts, so that the balance is loaded and the entries are decided again.
 */
export class BalanceWriter {
  private readonly cache: LRUCache<BalanceId, Chapter>;
  private readonly length: number;
  private readonly carriedRanges: number | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly commands: Pick<CommandHandler, 'appendAt' | 'metadata'>,
    {
      chapterLength: length = chapterLength,
      carriedRanges,
      cachedRanges = 200_000,
    }: BalanceWriterOptions = {},
  ) {
    this.length = length;
    this.carriedRanges = carriedRanges;
    this.cache = new LRUCache({
      maxSize: cachedRanges,
      sizeCalculation: ({ state }) => 1 + state.buckets.size,
    });
  }

  /**
   * Posts the postings that were not posted before. They must be in the log's order. Only one
   * caller at a time may write the same balance. Throws `unavailable` if others keep changing it.
   */
  async post(owner: BalanceOwner, postings: readonly Posting[]): Promise<Posted> {
    const posted = { position: undefined as Position | undefined, entries: 0, conflicts: 0 };
    for (let attempt = 0; attempt < maxAttempts;) {
      const chapter = await this.openChapter(owner);
      posted.position = chapter.position;
      const left = postings.filter(({ source }) => !isPosted(chapter, source));
      if (left.length === 0) return posted;
      const command = { type: 'post', chapterLength: this.length } as const;
      const events = balanceDecider.decide(
        { ...command, postings: left.slice(0, maxEntries) },
        chapter.state,
      );
      const stream = chapterStream(owner.about.balance_id, chapter.state.chapter);
      const next = await this.append(owner, { stream, events, to: chapter });
      if (next === undefined) {
        posted.conflicts++;
        this.cache.delete(owner.about.balance_id);
        await sleep(Math.random() * Math.min(5 * 2 ** attempt++, 200));
        continue;
      }
      this.cache.set(owner.about.balance_id, next);
      posted.entries += next.state.number - chapter.state.number;
    }
    throw new DomainError(
      'unavailable',
      `Balance ${owner.about.balance_id} was changed concurrently ${maxAttempts} times in a row.`,
    );
  }

  /** Forgets the cached balances: the log may have been restored, and lack what they reflect. */
  forget(): void {
    this.cache.clear();
  }

  /** The chapter that takes the next event. Opens it if it is not open yet. */
  private async openChapter(owner: BalanceOwner): Promise<Chapter> {
    const { balance_id } = owner.about;
    const last = this.cache.get(balance_id) ?? (await this.load(balance_id));
    const chapter = last.state.phase === 'open' ? last : await this.open(owner, last);
    this.cache.set(balance_id, chapter);
    return chapter;
  }

  /** The current chapter if it is open, otherwise the full one before it, or nothing. */
  private async load(balance: BalanceId): Promise<Chapter> {
    const number = await currentChapter(this.log, balance, this.length);
    const current = await this.fold(balance, number);
    return current.state.phase === 'open' || number === 0
      ? current
      : this.fold(balance, number - 1);
  }

  private async fold(balance: BalanceId, chapter: number): Promise<Chapter> {
    const folded = await loadStream(this.log, balanceDecider, chapterStream(balance, chapter));
    const { through } = folded.state;
    return { ...folded, through: through === null ? undefined : await this.positionOf(through) };
  }

  /** The position of a source, which may have been recorded in another log (`ops copy`). */
  private async positionOf(source: SourceCheckpoint): Promise<Position | undefined> {
    if (source.log_id === this.log.id) return toPosition(source.position);
    const { stream, revision } = source;
    if (isStreamName(stream))
      for await (const [event] of this.log.readStream(stream, { from: revision, to: revision }))
        if (event?.id === source.event_id) return event.position;
    throw new Error(
      `the event log does not have event ${source.event_id} (revision ${revision} of ${stream}), which was posted`,
    );
  }

  /**
   * Opens the chapter after a full one, or the first one. Every writer appends the same events with
   * the same ids, so if it is unknown how far one got, opening starts again from the beginning.
   */
  private async open(owner: BalanceOwner, full: Chapter): Promise<Chapter> {
    const { about } = owner;
    const isFirst = full.state.phase === 'none';
    const events = isFirst ? [firstOpening(about)] : openingOf(full.state, this.carriedRanges);
    const stream = chapterStream(about.balance_id, isFirst ? 0 : full.state.chapter + 1);
    const commandId = full.lastEventId ?? chainStart(about.balance_id).slice(0, 32);
    let next: Chapter = { ...full, state: balanceDecider.initial, revision: undefined };
    for (const [index, event] of events.entries()) {
      const id = eventIdOf(commandId, stream, 0, index);
      const opened = await this.append(owner, { stream, ids: [id], events: [event], to: next });
      if (opened === undefined)
        throw new Error(`${stream} does not begin with the events that open the chapter`);
      next = opened;
    }
    return next;
  }

  /** Appends at the loaded revision; undefined if the stream has changed since. */
  private async append(owner: BalanceOwner, append: BalanceAppend): Promise<Chapter | undefined> {
    const { stream, ids, events, to } = append;
    const { accountId } = owner;
    const context = newContext({ accountId, actor: ledgerName, requestId: ledgerName });
    const metadata = this.commands.metadata(context, to);
    const newEvents = events.map((event, index) =>
      encodeEvent(event, ids?.[index] ?? eventIdOf(context.commandId, stream, 0, index), metadata),
    );
    const appended = await this.commands.appendAt(stream, newEvents, to.revision);
    if (appended === undefined) return undefined;
    const first = (to.revision ?? -1) + 1;
    const state = events.reduce(
      (before, event, index) =>
        balanceDecider.evolve(before, event, metaOf({ revision: first + index, metadata })),
      to.state,
    );
    const isOfThisLog = state.through?.log_id === this.log.id;
    return {
      state,
      through: isOfThisLog ? toPosition(state.through.position) : to.through,
      accountId,
      revision: first + events.length - 1,
      position: appended.position,
      recordedAt: metadata.recorded_at,
      lastEventId: newEvents.at(-1)?.id,
    };
  }
}

/** A balance as folded from one of its chapters. */
interface Chapter extends Folded<BalanceState> {
  /** The position in this log of the last event that was posted. */
  readonly through: Position | undefined;
}

/** Events to append to the stream of a chapter. */
interface BalanceAppend {
  readonly stream: StreamName;
  readonly events: readonly BalanceEvent[];
  /** The chapter before these events. */
  readonly to: Chapter;
  /** The ids of the events; random if undefined. */
  readonly ids?: readonly string[];
}

/** How many entries one append may have: some 100 KiB. */
const maxEntries = 200;

const maxAttempts = 10;

const isPosted = ({ through }: Chapter, { position }: SourceCheckpoint): boolean => {
  const at = toPosition(position);
  return through !== undefined && at !== undefined && comparePositions(at, through) <= 0;
};
