import { accountOf, comparePositions, isEventOf } from '@refledger/contracts';
import type {
  AccountId,
  BalanceEvent,
  BalanceId,
  Position,
  RecordedEvent,
} from '@refledger/contracts';
import { balanceDecider, chapterLength, metaOf } from '@refledger/domain';
import type { BalanceState, ChapterRevision } from '@refledger/domain';
import { decodeEvent, type EventLog, type LoggedEvent } from '@refledger/event-log';
import { LRUCache } from 'lru-cache';
import { chapterStream, currentChapter } from './balance-streams.js';
import type { BalanceOwner } from './chapters.js';

/** A balance with everything that was open in it. */
export interface LoadedBalance {
  readonly state: BalanceState;
  readonly accountId: AccountId;
  /** The last event folded: its position, and when it was recorded. */
  readonly position: Position;
  readonly recordedAt: string;
}

/** A part of a balance, from its first event to its last one. */
export interface ChapterRange {
  readonly first: ChapterRevision;
  readonly last: ChapterRevision;
}

/** The maximum number of days with open entries in all kept balances together. */
const keptDays = 50_000;

/** Reads balances from their own streams. Every method throws `UnreadableEvent`. */
export class BalanceReader {
  /** Recently read balances, each in an open chapter. */
  private readonly kept = new LRUCache<BalanceId, LoadedBalance>({
    maxSize: keptDays,
    sizeCalculation: ({ state }) => 1 + state.buckets.size,
  });

  constructor(
    private readonly log: Pick<EventLog, 'readStream'>,
    /** The length of a full chapter. */
    private readonly length: number = chapterLength,
  ) {}

  /**
   * A balance as it is now; undefined if there is none. Reads one chapter, whatever came before; if
   * the balance was read recently, only what is new.
   */
  async load(balance: BalanceId): Promise<LoadedBalance | undefined> {
    const kept = this.kept.get(balance);
    const continued = kept && (await this.continued(balance, kept));
    const loaded =
      continued ??
      (await this.complete(balance, await currentChapter(this.log, balance, this.length)));
    if (loaded?.state.phase === 'open') this.kept.set(balance, loaded);
    else this.kept.delete(balance);
    return loaded;
  }

  /** A balance as of a position of the log; undefined if there was none. */
  async loadAt(balance: BalanceId, position: Position): Promise<LoadedBalance | undefined> {
    return this.complete(balance, await this.chapterAt(balance, position), position);
  }

  /** When the balance was opened (RFC 3339); undefined if there is none. */
  async createdAt(balance: BalanceId): Promise<string | undefined> {
    return (await this.firstOf(balance, 0))?.metadata.recorded_at;
  }

  /** Whose balance it is; undefined if there is none. Reads one event. */
  async owner(balance: BalanceId): Promise<BalanceOwner | undefined> {
    const first = await this.firstOf(balance, 0);
    if (first === undefined) return undefined;
    const opened = eventIn(first);
    const { balance_id, affiliate_id, program_id, currency } = opened.data;
    const about = { balance_id, affiliate_id, program_id, currency };
    return { accountId: accountOf(opened), about };
  }

  /**
   * The events from the first to the last of a part of the balance, over all chapters, oldest
   * first. Reads `size` of them at a time.
   */
  async *eventsBetween(
    balance: BalanceId,
    { first, last }: ChapterRange,
    size = this.length,
  ): AsyncGenerator<readonly RecordedEvent<BalanceEvent>[]> {
    for (let { chapter, revision: from } = first; chapter <= last.chapter; chapter++, from = 0) {
      const end = chapter === last.chapter ? last.revision : this.length - 1;
      for (; from <= end; from += size) {
        const to = Math.min(end, from + size - 1);
        for await (const events of this.log.readStream(chapterStream(balance, chapter), {
          from,
          to,
        }))
          yield events.map(eventIn);
      }
    }
  }

  /**
   * The events of the hash chain, oldest first, over all chapters. Entries that are posted in the
   * meantime may be missing at the end, but never in between.
   */
  async *chained(balance: BalanceId): AsyncGenerator<readonly LoggedEvent[]> {
    for (let chapter = 0; ; chapter++) {
      let isFull = false;
      for await (const events of this.log.readStream(chapterStream(balance, chapter))) {
        isFull = events.at(-1)?.type === 'balance.closed';
        yield events.filter(isChained);
      }
      // the next chapter may have started since, but then this one has events that were not read
      if (!isFull) return;
    }
  }

  /** Undefined if the chapter is full now, or if its events are not those that were read. */
  private async continued(
    balance: BalanceId,
    kept: LoadedBalance,
  ): Promise<LoadedBalance | undefined> {
    const { chapter, length } = kept.state;
    const stream = chapterStream(balance, chapter);
    let loaded: LoadedBalance | undefined;
    for await (const events of this.log.readStream(stream, { from: length - 1 }))
      for (const logged of events) {
        if (loaded !== undefined) loaded = loadedAfter(loaded, logged);
        else if (logged.position === kept.position) loaded = kept;
        else return undefined;
      }
    return loaded?.state.phase === 'open' ? loaded : undefined;
  }

  /** A half-opened chapter says nothing yet: the one before it is complete. */
  private async complete(
    balance: BalanceId,
    chapter: number,
    position?: Position,
  ): Promise<LoadedBalance | undefined> {
    const loaded = await this.fold(balance, chapter, position);
    const isComplete = loaded !== undefined && loaded.state.phase !== 'opening';
    return isComplete || chapter === 0 ? loaded : this.fold(balance, chapter - 1, position);
  }

  private async fold(
    balance: BalanceId,
    chapter: number,
    position: Position | undefined,
  ): Promise<LoadedBalance | undefined> {
    let loaded: LoadedBalance | undefined;
    for await (const events of this.log.readStream(chapterStream(balance, chapter)))
      for (const logged of events) {
        if (position !== undefined && comparePositions(logged.position, position) > 0)
          return loaded;
        loaded = loadedAfter(loaded, logged);
      }
    return loaded;
  }

  /**
   * The last chapter that had started by then, or 0: bisects the chapters by their first events.
   */
  private async chapterAt(balance: BalanceId, position: Position): Promise<number> {
    const isThen = async (chapter: number): Promise<boolean> => {
      const first = await this.firstOf(balance, chapter);
      return first !== undefined && comparePositions(first.position, position) <= 0;
    };
    let [low, high] = [0, await currentChapter(this.log, balance, this.length)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (await isThen(middle)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private async firstOf(balance: BalanceId, chapter: number): Promise<LoggedEvent | undefined> {
    for await (const [first] of this.log.readStream(chapterStream(balance, chapter), { to: 0 }))
      return first;
    return undefined;
  }
}

const loadedAfter = (before: LoadedBalance | undefined, logged: LoggedEvent): LoadedBalance => {
  const event = eventIn(logged);
  return {
    state: balanceDecider.evolve(before?.state ?? balanceDecider.initial, event, metaOf(event)),
    accountId: accountOf(event),
    position: event.position,
    recordedAt: event.metadata.recorded_at,
  };
};

const eventIn = (logged: LoggedEvent): RecordedEvent<BalanceEvent> => {
  const event = decodeEvent(logged);
  if (!isEventOf('balance', event)) throw new Error(`${event.type} is not an event of a balance`);
  return event;
};

/** The other events of a balance only repeat what these say. */
const isChained = ({ type }: LoggedEvent): boolean => chainedTypes.has(type);
const chainedTypes: ReadonlySet<string> = new Set<BalanceEvent['type']>([
  'balance.posted',
  'balance.reserved',
  'balance.settled',
  'balance.released',
]);
