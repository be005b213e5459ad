import { comparePositions, type Position } from '@refledger/contracts';
import {
  changesLogTime,
  foldDecisions,
  logTimeAfter,
  type OutOfLogTime,
  type PostingDecision,
} from '@refledger/domain';
import type { LoggedEvent } from '@refledger/event-log';

/** The log times at an event that posting may have known. */
export interface PossibleLogTimes {
  /** How many decisions about log time came before the event. */
  readonly decisionsBefore: number;
  /** Log time by these decisions, by one more, and so on. */
  readonly times: readonly (string | null)[];
}

/**
 * Follows log time by each earlier part of the operators' decisions: posting knows those that were
 * recorded before its source, and maybe some that were recorded before it posted.
 */
export class LogTimes {
  private readonly decisions: readonly Position[];
  private readonly parts: { readonly excluded: OutOfLogTime; time: string | null }[];
  /** How many decisions were recorded before the event that was taken last. */
  private passed = 0;

  constructor(decisions: readonly PostingDecision[]) {
    const all = decisions.filter(changesLogTime);
    this.decisions = all.map(({ position }) => position);
    const countsFrom0 = [undefined, ...all].map((_, count) => count);
    this.parts = countsFrom0.map((count) => ({
      excluded: foldDecisions(all.slice(0, count)),
      time: null,
    }));
  }

  /** Takes the next event of the log. */
  apply(event: LoggedEvent): void {
    this.passed = this.decisionsBefore(event.position);
    for (const part of this.parts.slice(this.passed))
      part.time = logTimeAfter(part.time, event, part.excluded);
  }

  /** The log times at the event that was taken last. */
  possible(): PossibleLogTimes {
    return {
      decisionsBefore: this.passed,
      times: this.parts.slice(this.passed).map(({ time }) => time),
    };
  }

  /** Of the log times at a source, those by decisions that came before it was posted. */
  knownAt(
    { decisionsBefore, times }: PossibleLogTimes,
    posted: Position,
  ): readonly (string | null)[] {
    return times.slice(0, this.decisionsBefore(posted) - decisionsBefore + 1);
  }

  private decisionsBefore(position: Position): number {
    const after = this.decisions.findIndex((each) => comparePositions(each, position) >= 0);
    return after === -1 ? this.decisions.length : after;
  }
}
