import {
  comparePositions,
  isEventOf,
  type BalanceEvent,
  type BalanceId,
  type Position,
  type Recorded,
} from '@refledger/contracts';
import {
  logTimeAfter,
  owedChangeOf,
  type BalanceAbout,
  type OutOfLogTime,
  type OwedChange,
} from '@refledger/domain';
import {
  decodeEvent,
  UnreadableEvent,
  type EventLog,
  type LoggedEvent,
} from '@refledger/event-log';
import { AuditedBalance } from './audited-balance.js';

/** Something that is not as it should be in a balance. */
export interface AuditFinding {
  readonly about: BalanceAbout;
  /** The event at fault. */
  readonly position: Position;
  readonly problem: string;
}

/** What an audit has read. */
export interface Audited {
  readonly balances: number;
  readonly entries: number;
}

/** The events that posting leaves out are `skipped`, as decided with `ops skip`. */
export interface AuditOptions extends OutOfLogTime {
  readonly log: Pick<EventLog, 'readAll'>;
  /** Posting has handled every event up to here, so every entry due by then must be there. */
  readonly postedThrough: Position | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: (position: Position) => void;
}

/**
 * Recomputes every balance from the conversions and adjustments of the log, in one pass, and yields
 * what differs. It checks that each change in what is owed was posted once, as the event says, and
 * all that `AuditedBalance` checks. Memory use grows only with the number of balances.
 */
export async function* auditBalances({
  log,
  postedThrough,
  signal,
  onProgress,
  ...out
}: AuditOptions): AsyncGenerator<AuditFinding, Audited> {
  const audit = new Audit(out);
  for await (const { events, through } of log.readAll({ batchSize: 1_000 })) {
    signal.throwIfAborted();
    for (const logged of events) yield* audit.take(logged);
    onProgress?.(through);
  }
  yield* audit.missing(postedThrough);
  return audit.read;
}

/** An entry that an event of the log must have caused. */
interface Due extends OwedChange {
  readonly position: Position;
  readonly posted_at: string | null;
}

class Audit {
  private readonly balances = new Map<BalanceId, AuditedBalance>();
  /** Entries that are due but were not posted yet, by the id of their source. */
  private readonly due = new Map<string, Due>();
  private logTime: string | null = null;
  private entries = 0;

  constructor(private readonly out: OutOfLogTime) {}

  get read(): Audited {
    return { balances: this.balances.size, entries: this.entries };
  }

  *take(logged: LoggedEvent): Generator<AuditFinding> {
    this.logTime = logTimeAfter(this.logTime, logged, this.out);
    // nobody can tell what is owed for a skipped event that cannot be read
    const event = this.out.skipped.has(logged.id) ? decodedIfPossible(logged) : decodeEvent(logged);
    if (event === undefined) return;
    if (isEventOf('balance', event)) {
      for (const problem of this.problemsOf(event, logged))
        yield { about: event.data, position: event.position, problem };
      return;
    }
    const change = owedChangeOf(event);
    if (change !== undefined)
      this.due.set(event.id, { ...change, position: event.position, posted_at: this.logTime });
  }

  /** Entries that should have been posted by now. */
  *missing(postedThrough: Position | undefined): Generator<AuditFinding> {
    if (postedThrough === undefined) return;
    for (const [id, { about, entry, position }] of this.due) {
      if (comparePositions(position, postedThrough) > 0) continue;
      const why = this.out.skipped.has(id) ? ', because it was skipped' : '';
      const problem = `this event changes the amount owed by ${entry.amount}, but no entry was posted for it${why}`;
      yield { about, position, problem };
    }
  }

  private problemsOf(event: Recorded<BalanceEvent>, logged: LoggedEvent): readonly string[] {
    const { balance_id } = event.data;
    const balance = this.balances.get(balance_id) ?? new AuditedBalance(event.data);
    this.balances.set(balance_id, balance);
    const problems = balance.take(event, logged);
    return event.type === 'balance.posted' ? [...problems, ...this.unlikeSource(event)] : problems;
  }

  /** Compares an entry with the event that caused it. */
  private unlikeSource({ data }: Recorded<Posted>): readonly string[] {
    this.entries++;
    const { event_id } = data.source;
    const due = this.due.get(event_id);
    this.due.delete(event_id);
    if (due === undefined) return [`its source ${event_id} causes no entry, or was already posted`];
    const { about, entry, posted_at } = due;
    const posted: Readonly<Record<string, unknown>> = data;
    return Object.entries({ ...about, ...entry, posted_at })
      .filter(([field, value]) => posted[field] !== value)
      .map(
        ([field, value]) =>
          `its ${field} is ${String(posted[field])}, but its source says ${value}`,
      );
  }
}

type Posted = Extract<BalanceEvent, { type: 'balance.posted' }>;

const decodedIfPossible = (logged: LoggedEvent): Recorded | undefined => {
  try {
    return decodeEvent(logged);
  } catch (error) {
    if (error instanceof UnreadableEvent) return undefined;
    throw error;
  }
};
