import {
  comparePositions,
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
import { newContext, type AccountContext, type CommandHandler } from '@refledger/application';
import {
  balanceDecider,
  chapterLength,
  chainStart,
  firstOpening,
  metaOf,
  openingOf,
  type BalanceKey,
  type BalanceState,
} from '@refledger/domain';
import {
  encodeEvent,
  loadStream,
  type EventLog,
  type FoldedStream,
  type LoggedEvent,
} from '@refledger/event-log';
import { LRUCache } from 'lru-cache';
import { chapterStream, currentChapter } from './balance-streams.js';
import { ledgerName } from './ledger-name.js';

export interface ChaptersOptions {
  /** The length of a full chapter; default `chapterLength`. */
  readonly chapterLength?: number;
  /** How many ranges of open entries one `balance.carried` may hold; default some 2,500. */
  readonly carriedRanges?: number;
  /** How many ranges of open entries the cached balances may have in total. */
  readonly cachedRanges?: number;
}

/** Whose balance it is. */
export interface BalanceOwner {
  readonly accountId: AccountId;
  readonly about: BalanceKey;
}

/** A balance as folded from one of its chapters. */
export interface Chapter extends FoldedStream<BalanceState> {
  /** The position in this log of the last event that was posted. */
  readonly through: Position | undefined;
}

/** Finds, opens and extends the current chapters of balances. */
export class Chapters {
  /** A cached chapter can only be behind; then an append to it conflicts. */
  private readonly cache: LRUCache<BalanceId, Chapter>;
  readonly length: number;
  private readonly carriedRanges: number | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly commands: Pick<CommandHandler, 'appendAt' | 'metadata'>,
    {
      chapterLength: length = chapterLength,
      carriedRanges,
      cachedRanges = 200_000,
    }: ChaptersOptions = {},
  ) {
    this.length = length;
    this.carriedRanges = carriedRanges;
    this.cache = new LRUCache({
      maxSize: cachedRanges,
      sizeCalculation: ({ state }) => 1 + state.buckets.size,
    });
  }

  /**
   * The chapter that takes the next event, perhaps as it was a while ago. Opens it if necessary.
   */
  async current(owner: BalanceOwner): Promise<Chapter> {
    const { balance_id } = owner.about;
    const last = this.cache.get(balance_id) ?? (await this.load(balance_id));
    const chapter = last.state.phase === 'open' ? last : await this.open(owner, last);
    this.cache.set(balance_id, chapter);
    return chapter;
  }

  /** The same chapter, as it is now; undefined if there is no such balance. */
  async latest(owner: BalanceOwner): Promise<Chapter | undefined> {
    this.forget(owner.about.balance_id);
    const last = await this.load(owner.about.balance_id);
    if (last.state.phase === 'none') return undefined;
    return last.state.phase === 'open' ? last : this.open(owner, last);
  }

  /** Appends to a chapter as it was loaded; undefined if it has changed since. */
  async append(
    owner: BalanceOwner,
    chapter: Chapter,
    events: readonly BalanceEvent[],
    of: AppendOptions = {},
  ): Promise<Chapter | undefined> {
    const { balance_id } = owner.about;
    const stream = chapterStream(balance_id, chapter.state.chapter);
    const next = await this.appendTo(owner, { stream, events, to: chapter, ...of });
    if (next === undefined) this.forget(balance_id);
    else this.cache.set(balance_id, next);
    return next;
  }

  /**
   * Forgets one balance, or all of them: the log may have been restored, and lack what is cached.
   */
  forget(balance?: BalanceId): void {
    if (balance === undefined) this.cache.clear();
    else this.cache.delete(balance);
  }

  /**
   * Whether entries of a balance were released because of this event of the log. Reads its
   * chapters from the current one back to the event.
   */
  async isReleased(balance: BalanceId, { event_id, position }: SourceCheckpoint): Promise<boolean> {
    const since = toPosition(position);
    let chapter = await currentChapter(this.log, balance, this.length);
    for (; chapter >= 0; chapter--) {
      let first: Position | undefined;
      for await (const events of this.log.readStream(chapterStream(balance, chapter))) {
        first ??= events[0]?.position;
        if (events.some((event) => isReleaseOf(event, event_id))) return true;
      }
      if (first !== undefined && since !== undefined && comparePositions(first, since) < 0)
        return false;
    }
    return false;
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
   * the same ids, so if it is unknown how far one got, opening starts again from the start.
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
      const opened = await this.appendTo(owner, { stream, ids: [id], events: [event], to: next });
      if (opened === undefined)
        throw new Error(`${stream} does not start with the events that open the chapter`);
      next = opened;
    }
    return next;
  }

  /** Appends at the loaded revision; undefined if the stream has changed since. */
  private async appendTo(
    { accountId }: BalanceOwner,
    append: BalanceAppend,
  ): Promise<Chapter | undefined> {
    const { stream, ids, events, to, recordedAt } = append;
    const { context = newContext({ accountId, actor: ledgerName, requestId: ledgerName }) } =
      append;
    const metadata = this.commands.metadata(context, to, recordedAt);
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

interface AppendOptions {
  /** The actor who requested it; default: the ledger. */
  readonly context?: AccountContext;
  /** When it was decided; default: now. */
  readonly recordedAt?: string;
}

/** Events to append to the stream of a chapter. */
interface BalanceAppend extends AppendOptions {
  readonly stream: StreamName;
  readonly events: readonly BalanceEvent[];
  /** The chapter before these events. */
  readonly to: Chapter;
  /** The ids of the events; random if undefined. */
  readonly ids?: readonly string[];
}

/** Whether an event releases entries of a balance because of this source. */
const isReleaseOf = ({ type, data }: LoggedEvent, eventId: string): boolean =>
  // the decoding boundary: such an event names its source
  type === 'balance.released' && (data as { source: SourceCheckpoint }).source.event_id === eventId;
