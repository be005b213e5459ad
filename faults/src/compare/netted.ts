import type { Payout } from '@refledger/testing';
import { same } from '../canonical.js';
import { programsOf } from '../books/books.js';
import { balanceOf, dueEntriesOf } from '../books/due-entries.js';
import { reservedPayouts, type Line, type Reservation } from '../books/open-lines.js';
import type { Facts } from '../facts.js';
import type { History } from '../history.js';
import { requestIdOf, type Entry } from '../ledger.js';
import type { SentProgram } from '../load/programs.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that each payout takes all that is open and due, including every sale, refund and
 * adjustment that was acknowledged before the payout, or its run, was requested; and that it is not
 * below its program's minimum (laws L8 and L9).
 */
export const compareNetted = ({
  entries,
  history,
}: Pick<Facts, 'entries' | 'history'>): Comparison => {
  const sources = {
    sent: new Map(entries.map((entry) => [requestIdOf(entry.n), entry])),
    causes: causesOf(history),
    programs: programsOf(entries),
    history,
  };
  const reserved = [...reservedPayouts(history).values()];
  const lines = reserved.flatMap((reservation) => reservation.lines);
  return {
    claim: 'payouts net what was acknowledged before',
    figures: {
      reserved: reserved.length,
      netted: lines.filter(({ amount }) => amount < 0).length,
      'of runs': reserved.filter(({ payout_id }) => payoutOf(history, payout_id)?.run_id).length,
    },
    differences: reserved.flatMap((reservation) =>
      faultsOf(reservation, sources).map((fault) => `${reservation.payout_id} ${fault}`),
    ),
  };
};

interface Sources {
  /** By request id. */
  readonly sent: ReadonlyMap<string, Entry>;
  /** The positions of what caused the entries of each affiliate and currency, in their order. */
  readonly causes: ReadonlyMap<string, readonly bigint[]>;
  readonly programs: ReadonlyMap<string, SentProgram>;
  readonly history: Pick<History, 'versions'>;
}

const faultsOf = (
  { payout_id, lines, due, until, last }: Reservation,
  sources: Sources,
): string[] => {
  const payout = payoutOf(sources.history, payout_id);
  const asked = payout && requestFor(payout, sources);
  if (payout === undefined || asked === undefined) return ['was not asked for by any request'];
  const causes = sources.causes.get(balanceOf(payout)) ?? [];
  const answered = causes.filter((at) => at <= asked.seen).length;
  const [taken, wanted] = [numbersOf(lines), numbersOf(due)];
  return [
    ...(last < answered
      ? [`has ${last} entries before it, but ${answered} were acknowledged before it was requested`]
      : []),
    ...(same(taken, wanted)
      ? []
      : [`takes ${taken.join(', ')}, but ${wanted.join(', ')} are open and due by ${until}`]),
    ...minimumFaults(payout, asked, sources),
  ];
};

/** The request for a payout, or for the run that made it. */
const requestFor = ({ id, run_id }: Payout, { sent, history }: Sources): Entry | undefined => {
  const [first] = history.versions.get(run_id ?? id) ?? [];
  return first && sent.get(first.event.metadata.request_id);
};

const minimumFaults = (
  { program_id, currency, amount }: Payout,
  { intent }: Entry,
  { programs }: Sources,
): string[] => {
  const minimum = programs.get(program_id)?.minimum_payout[currency] ?? 1;
  return amount >= minimum || intent.body?.['ignore_minimum'] === true
    ? []
    : [`is ${amount}, but its program's minimum is ${minimum}`];
};

const payoutOf = ({ versions }: Pick<History, 'versions'>, id: string) => {
  const record = versions.get(id)?.[0]?.record;
  return record?.object === 'payout' ? record : undefined;
};

const causesOf = (history: History): ReadonlyMap<string, readonly bigint[]> => {
  const causes = new Map<string, bigint[]>();
  for (const entry of dueEntriesOf(history).values()) {
    const all = causes.get(balanceOf(entry));
    if (all === undefined) causes.set(balanceOf(entry), [entry.causedAt]);
    else all.push(entry.causedAt);
  }
  return causes;
};

const numbersOf = (lines: readonly Line[]): readonly number[] =>
  lines.map(({ number }) => number).toSorted((a, b) => a - b);
