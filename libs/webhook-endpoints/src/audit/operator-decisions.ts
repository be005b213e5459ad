import {
  comparePositions,
  isEventOf,
  streams,
  toPosition,
  type Position,
  type RecordedEvent,
} from '@refledger/contracts';
import { relayName } from '@refledger/event-bus';
import { decodeEvent, type EventLog } from '@refledger/event-log';
import { dispatcherName } from '../dispatcher-name.js';

/** A decision of an operator that explains why deliveries are missing. */
export interface SkippedDeliveries {
  readonly processor: string;
  readonly decision: 'skip' | 'resume';
  /** Where the decision is in the log. */
  readonly position: Position;
  /** How many deliveries are missing because of it. */
  deliveries: number;
  /** The first and the last position of their events, once there are any. */
  events: { readonly first: Position; readonly last: Position } | undefined;
}

/**
 * A decision to resume after `through`: what was not planned by then is not planned at all, if the
 * decision was carried out.
 */
interface Resumption extends SkippedDeliveries {
  readonly revision: number;
  readonly through: Position;
  isCarriedOut: boolean;
}

/** Decisions of operators about the processors between the log and the deliveries. */
export class OperatorDecisions {
  /** By the id of the event. */
  private readonly skips = new Map<string, SkippedDeliveries>();
  private readonly resumptions: Resumption[] = [];

  static async read(log: Pick<EventLog, 'readStream'>): Promise<OperatorDecisions> {
    const decisions = new OperatorDecisions();
    // the dispatcher's skips come last, since they also concern changes to endpoints
    for (const processor of [relayName, dispatcherName])
      for await (const batch of log.readStream(streams.processor(processor)))
        for (const logged of batch) decisions.add(processor, decodeEvent(logged));
    decisions.resumptions.sort((a, b) => comparePositions(a.position, b.position));
    return decisions;
  }

  /** The decisions that explain at least one missing delivery. */
  get all(): readonly SkippedDeliveries[] {
    return [...this.skips.values(), ...this.resumptions].filter(({ deliveries }) => deliveries > 0);
  }

  isSkippedByDispatcher(event: string): boolean {
    return this.skips.get(event)?.processor === dispatcherName;
  }

  /**
   * Whether a decision explains that an event has no delivery. If so, counts the delivery towards
   * that decision.
   */
  explain(event: string, position: Position): boolean {
    const decision = this.skips.get(event) ?? this.resumptionOver(position);
    if (decision === undefined) return false;
    decision.deliveries++;
    decision.events = { first: decision.events?.first ?? position, last: position };
    return true;
  }

  /**
   * The first decision that resumes after this position and was made once the log had reached it.
   */
  private resumptionOver(position: Position): SkippedDeliveries | undefined {
    return this.resumptions.find(
      ({ position: at, through, isCarriedOut }) =>
        isCarriedOut &&
        comparePositions(position, at) < 0 &&
        comparePositions(position, through) <= 0,
    );
  }

  private add(processor: string, event: RecordedEvent): void {
    if (!isEventOf('processor', event)) return;
    const { position } = event;
    const about = { processor, position, deliveries: 0, events: undefined };
    if (event.type === 'processor.skipped')
      this.skips.set(event.data.event_id, { ...about, decision: 'skip' });
    if (event.type === 'processor.opened') this.carriedOut(processor, event.data.decision);
    if (event.type !== 'processor.resumed') return;
    const { from } = event.data;
    const through = from === 'head' ? position : toPosition(from);
    // nothing is left out before the start
    if (through === undefined) return;
    const { revision } = event;
    this.resumptions.push({ ...about, decision: 'resume', revision, through, isCarriedOut: false });
  }

  private carriedOut(processor: string, revision: number | null): void {
    for (const resumption of this.resumptions)
      if (resumption.processor === processor && resumption.revision === revision)
        resumption.isCarriedOut = true;
  }
}
