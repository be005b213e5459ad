import { auditBalances, readPostedThrough } from '@refledger/balances';
import { listPostingDecisions, type EventLog } from '@refledger/event-log';
import { ReadModelUnreadable, type ReadStore } from '@refledger/read-store';
import type { Position } from '@refledger/contracts';
import type { Console } from '../console.js';
import { counted } from '../format/counted.js';
import { newProgress } from '../progress.js';
import { listFindings } from './list-findings.js';

export interface LedgerVerification {
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly console: Console;
  /** How many findings to list; all are counted. */
  readonly show: number;
}

/** Recomputes every balance from the log and lists what differs. Returns the number of findings. */
export const verifyLedger = async ({
  log,
  store,
  console,
  show,
}: LedgerVerification): Promise<number> => {
  // read it first: everything that was posted by then is in the log that is read next
  const postedThrough = await postedThroughIn(store, log);
  // read them after it: an entry that was posted by then may depend on all of them
  const decisions = await listPostingDecisions(log);
  const head = await log.head();
  const progress = newProgress('verifying', console);
  const audit = auditBalances({
    log,
    decisions,
    postedThrough,
    signal: console.signal,
    onProgress: (position) => progress.update(position, head),
  });
  const { findings, compared } = await listFindings(audit, {
    console,
    progress,
    show,
    lineOf: ({ about, position, problem }) =>
      `${about.balance_id} (${about.affiliate_id}, ${about.currency}) at position ${position}: ${problem}`,
  });
  const { balances, entries } = compared;
  const verdict =
    findings === 0
      ? 'matching the conversions, adjustments and payouts'
      : `${counted(findings, 'fault')}. Run the command that a line names; if it names none, correct what the affiliate is owed with an adjustment`;
  await console.print(
    `${counted(balances, 'balance')} with ${counted(entries, 'entry', 'entries')}, posted up to position ${postedThrough ?? 'none'}: ${verdict}`,
  );
  return findings;
};

/** Undefined if posting has never run on this log. */
const postedThroughIn = async (store: ReadStore, log: EventLog): Promise<Position | undefined> => {
  try {
    return (await readPostedThrough(store, log.id)).position;
  } catch (error) {
    if (error instanceof ReadModelUnreadable) return undefined;
    throw error;
  }
};
