import type { Position } from '@refledger/contracts';
import type { IgnoredTime, OutOfLogTime } from './log-time.js';

/** A decision of an operator in the stream of posting. */
export type PostingDecision = { readonly revision: number; readonly position: Position } & (
  | { readonly type: 'skip'; readonly eventId: string }
  /** The end of a payout, or a reservation, is no longer skipped. */
  | { readonly type: 'lift'; readonly eventId: string }
  | { readonly type: 'ignore time'; readonly ignoredTime: IgnoredTime }
  | { readonly type: 'resume' }
);

/** The state after the first decisions in the stream of posting. */
export interface PostingDecisions extends OutOfLogTime {
  /** The last decision that is included; -1 before the first one. */
  readonly revision: number;
  /** The ids of the events whose skip was lifted, and the position of the last such decision. */
  readonly lifted: ReadonlyMap<string, Position>;
}

/** No operator has decided anything. */
export const noDecisions: PostingDecisions = {
  revision: -1,
  skipped: new Set(),
  lifted: new Map(),
  ignoredTimes: [],
};

/** Returns the result of these decisions, which are the first ones of the stream. */
export const foldDecisions = (decisions: readonly PostingDecision[]): PostingDecisions =>
  decisions.reduce(withDecision, noDecisions);

/** Whether a decision changes what is out of log time. */
export const changesLogTime = ({ type }: PostingDecision): boolean => type !== 'resume';

const withDecision = (before: PostingDecisions, decision: PostingDecision): PostingDecisions => {
  const { revision } = decision;
  switch (decision.type) {
    case 'skip': {
      const lifted = new Map(before.lifted);
      lifted.delete(decision.eventId);
      const skipped = new Set(before.skipped).add(decision.eventId);
      return { ...before, revision, skipped, lifted };
    }
    case 'lift': {
      const skipped = new Set(before.skipped);
      skipped.delete(decision.eventId);
      const lifted = new Map(before.lifted).set(decision.eventId, decision.position);
      return { ...before, revision, skipped, lifted };
    }
    case 'ignore time':
      return { ...before, revision, ignoredTimes: [...before.ignoredTimes, decision.ignoredTime] };
    case 'resume':
      return { ...before, revision };
  }
};
