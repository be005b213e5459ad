import {
  comparePositions,
  isEventOf,
  type BalanceEvent,
  type BalanceId,
  type Position,
  type RecordedEvent,
} from '@refledger/contracts';
import {
  foldDecisions,
  balanceDeltaOf,
  type BalanceKey,
  type BalanceDelta,
  type PostingDecision,
} from '@refledger/domain';
import {
  decodeEvent,
  UnreadableEvent,
  type EventLog,
  type LoggedEvent,
} from '@refledger/event-log';
import { AuditedBalance } from './audited-balance.js';
import { AuditedPayouts } from './audited-payouts.js';
import { LogTimes, type PossibleLogTimes } from './log-times.js';
import { differingFields } from './differing-fields.js';

/** Something that is not as it should be in a balance. */
export interface AuditFinding {
  readonly about: BalanceKey;
  /** The event at fault. */
  readonly position: Position;
  readonly problem: string;
}

/** The events that an audit has read. */
export interface AuditTotals {
  readonly balances: number;
  readonly entries: number;
}

export interface AuditOptions {
  readonly log: Pick<EventLog, 'readAll'>;
  /** Operators' decisions about posting and log time. */
  readonly decisions: readonly PostingDecision[];
  /** Posting has handled every event up to here, so every entry due by then must be there. */
  readonly postedThrough: Position | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: (position: Position) => void;
}

/**
 * Recomputes every balance from the conversions, adjustments and payouts of the log, in one pass,
 * and yields what differs. It checks that each change in what is owed was posted once, as the event
 * says, that payouts were settled and released as their streams say, and all that `AuditedBalance`
 * checks. Memory use grows only with the number of balances.
 */
export async function* auditBalances({
  log,
  decisions,
  postedThrough,
  signal,
  onProgress,
}: AuditOptions): AsyncGenerator<AuditFinding, AuditTotals> {
  const audit = new Audit(decisions);
  for await (const { events, through } of log.readAll({ batchSize: 1_000 })) {
    signal.throwIfAborted();
    for (const logged of events) yield* audit.apply(logged);
    onProgress?.(through);
  }
  yield* audit.missing(postedThrough);
  return audit.read;
}

/** An entry that an event of the log must have caused. */
interface DueEntry extends BalanceDelta {
  readonly position: Position;
  readonly logTimes: PossibleLogTimes;
}

class Audit {
  private readonly balances = new Map<BalanceId, AuditedBalance>();
  /** Entries that are due but were not posted yet, by the id of their source. */
  private readonly due = new Map<string, DueEntry>();
  private readonly payouts = new AuditedPayouts();
  private readonly logTimes: LogTimes;
  private readonly skipped: ReadonlySet<string>;
  private entries = 0;

  constructor(decisions: readonly PostingDecision[]) {
    this.logTimes = new LogTimes(decisions);
    this.skipped = foldDecisions(decisions).skipped;
  }

  get read(): AuditTotals {
    return { balances: this.balances.size, entries: this.entries };
  }

  *apply(logged: LoggedEvent): Generator<AuditFinding> {
    this.logTimes.apply(logged);
    // no one can tell what is owed for a skipped event that cannot be read
    const event = this.skipped.has(logged.id) ? decodedIfPossible(logged) : decodeEvent(logged);
    if (event === undefined) return;
    if (isEventOf('balance', event)) {
      for (const problem of this.problemsOf(event, logged))
        yield { about: event.data, position: event.position, problem };
      return;
    }
    if (isEventOf('payout', event)) this.payouts.takePayout(event, this.logTimes.possible());
    const change = balanceDeltaOf(event);
    if (change !== undefined)
      this.due.set(event.id, {
        ...change,
        position: event.position,
        logTimes: this.logTimes.possible(),
      });
  }

  /** Entries that should have been posted by now. */
  *missing(postedThrough: Position | undefined): Generator<AuditFinding> {
    if (postedThrough === undefined) return;
    for (const [id, { about, entry, position }] of this.due) {
      if (comparePositions(position, postedThrough) > 0) continue;
      const why = this.skipped.has(id) ? ', because it was skipped' : '';
      const problem = `this event changes the amount owed by ${entry.amount}, but no entry was posted for it${why}`;
      yield { about, position, problem };
    }
    for (const { id, problem, ...where } of this.payouts.missing(postedThrough)) {
      const why = this.skipped.has(id) ? ', because this event was skipped' : '';
      const repair = `Run ops resume posting --from ${where.position}`;
      yield { ...where, problem: `${problem}${why}. ${repair}` };
    }
  }

  private problemsOf(event: RecordedEvent<BalanceEvent>, logged: LoggedEvent): readonly string[] {
    const { balance_id } = event.data;
    const balance = this.balances.get(balance_id) ?? new AuditedBalance(event.data);
    this.balances.set(balance_id, balance);
    return [...balance.apply(event, logged), ...this.compareWithSource(event)];
  }

  /** Compares an event of a balance with the event that caused it. */
  private compareWithSource(event: RecordedEvent<BalanceEvent>): readonly string[] {
    switch (event.type) {
      case 'balance.posted':
        return this.compareWithDelta(event);
      case 'balance.reserved':
        this.payouts.takeReserved(event);
        return [];
      case 'balance.settled':
      case 'balance.released': {
        const { problems, logTimes } = this.payouts.takeEnded(event);
        const isDated = logTimes !== undefined && event.data.lifted !== true;
        return isDated ? [...problems, ...this.compareLogTime(event, logTimes)] : problems;
      }
      case 'balance.opened':
      case 'balance.carried':
      case 'balance.closed':
        return [];
    }
  }

  private compareWithDelta(event: RecordedEvent<PostedEvent>): readonly string[] {
    this.entries++;
    const { event_id } = event.data.source;
    const due = this.due.get(event_id);
    this.due.delete(event_id);
    if (due === undefined) return [`its source ${event_id} causes no entry, or was already posted`];
    const { about, entry, logTimes } = due;
    const problems = differingFields(event.data, { ...about, ...entry });
    return [...problems, ...this.compareLogTime(event, logTimes)];
  }

  /** Posting dates an event by the decisions that it knows. */
  private compareLogTime(
    { position, data }: RecordedEvent<PostedEvent | PayoutEndEvent>,
    logTimes: PossibleLogTimes,
  ): readonly string[] {
    const known = this.logTimes.knownAt(logTimes, position);
    return known.includes(data.posted_at)
      ? []
      : [`its posted_at is ${data.posted_at}, but its source says ${known.at(-1)}`];
  }
}

type PayoutEndEvent = Extract<BalanceEvent, { type: 'balance.settled' | 'balance.released' }>;
type PostedEvent = Extract<BalanceEvent, { type: 'balance.posted' }>;

const decodedIfPossible = (logged: LoggedEvent): RecordedEvent | undefined => {
  try {
    return decodeEvent(logged);
  } catch (error) {
    if (error instanceof UnreadableEvent) return undefined;
    throw error;
  }
};
