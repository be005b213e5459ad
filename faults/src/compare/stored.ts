import type { LoggedEvent } from '@refledger/event-log';
import { same } from '../canonical.js';
import type { Facts } from '../facts.js';
import { requestIdOf, type Entry, type Outcome, type What } from '../ledger.js';
import type { Comparison } from './comparison.js';

/**
 * Every acknowledged write is in the log once, as it was acknowledged; what was refused is not there; what is unknown is there once at most, and its
 * repetition found it. Nothing is there that nobody sent.
 */
export const compareStored = ({
  entries,
  history,
}: Pick<Facts, 'entries' | 'history'>): Comparison => {
  const differences: string[] = [];
  const made = (n: number): readonly LoggedEvent[] => history.ofRequest.get(requestIdOf(n)) ?? [];
  const byRequest = new Map(entries.map((entry) => [requestIdOf(entry.n), entry]));
  let unknownThere = 0;

  for (const entry of entries) {
    const { n, outcome, intent } = entry;
    const events = made(n);
    const wrong = (says: string): number =>
      differences.push(`request ${n} (${intent.what}, ${outcome?.say ?? 'open'}): ${says}`);
    if (events.length > 1)
      wrong(
        `made ${events.length} events, at positions ${events.map(({ position }) => position).join(' and ')}`,
      );
    if (outcome?.say === 'refused' && events.length > 0)
      wrong(`was refused with ${outcome.status} ${outcome.code}, and made ${events[0]?.type}`);
    if (outcome?.say === 'unknown' && events.length > 0) unknownThere++;
    if (outcome?.say === 'acknowledged')
      acknowledgedFaults(entry, outcome, events, history).forEach(wrong);
    const { retryOf } = intent;
    if (retryOf !== undefined && made(retryOf).length > 0 && !found(outcome))
      wrong(`is a repetition of ${retryOf}, which had been stored, and did not find it`);
  }

  for (const [request, [event]] of history.ofRequest) {
    if (!byRequest.has(request))
      differences.push(
        `the log holds ${event?.type} at position ${event?.position}, which nobody sent (request ${request})`,
      );
  }
  differences.push(...doubles(history));
  return {
    claim: 'every acknowledged write is stored once',
    figures: {
      stored: history.ofRequest.size,
      records: history.versions.size,
      'unknown, yet stored': unknownThere,
    },
    differences,
  };
};

const acknowledgedFaults = (
  { intent }: Entry,
  { status, replayed, position, record }: Outcome & { say: 'acknowledged' },
  events: readonly LoggedEvent[],
  { versions }: Facts['history'],
): string[] => {
  const faults: string[] = [];
  const [event] = events;
  if (mustMake(intent.what, status, replayed) && event === undefined)
    faults.push(`was acknowledged with ${status}, and made no event`);
  if (replayed && event !== undefined)
    faults.push(`was answered as a repetition, and made ${event.type}`);
  if (event !== undefined && event.position !== position)
    faults.push(`was acknowledged at position ${position}, and stands at ${event.position}`);
  if (record === null || record.object === 'webhook_endpoint') return faults;
  const version = versions.get(record.id)?.[record.revision];
  if (version === undefined)
    return [
      ...faults,
      `was acknowledged as ${record.id}, revision ${record.revision}, which is not in the log`,
    ];
  if (!same(version.record, record))
    faults.push(
      `was acknowledged as ${JSON.stringify(record)}, and the log says ${JSON.stringify(version.record)}`,
    );
  if (event !== undefined && version.event !== event)
    faults.push(
      `was acknowledged with revision ${record.revision}, and is revision ${event.revision}`,
    );
  return faults;
};

/** What a repetition of something stored may come to; 404 when it was deleted since. */
const found = (outcome: Outcome | undefined): boolean =>
  outcome === undefined ||
  outcome.say === 'unknown' ||
  (outcome.say === 'acknowledged'
    ? outcome.replayed
    : outcome.status === 404 || outcome.status === 503);

/** A change to what a record says already makes no event; everything else that is acknowledged anew makes one. */
const mustMake = (what: What, status: number, replayed: boolean): boolean =>
  !replayed && (status === 201 || status === 204) && !what.endsWith('.update');

/** Two records under one name. */
const doubles = ({ versions }: Facts['history']): string[] => {
  const names = new Map<string, string>();
  return [...versions].flatMap(([id, all]) => {
    const last = all.at(-1);
    const broken = all.some(({ event }, index) => event.revision !== index)
      ? [`the revisions of ${id} in the log are not 0 to ${all.length - 1}`]
      : [];
    if (last === undefined || last.deleted) return broken;
    const { record } = last;
    const name =
      record.object === 'affiliate'
        ? `e-mail ${record.email.toLowerCase()} in ${record.program_id}`
        : record.external_transaction_id && `transaction ${record.external_transaction_id}`;
    if (!name) return broken;
    const other = names.get(name);
    names.set(name, id);
    return other === undefined ? broken : [...broken, `${name} is there twice: ${other} and ${id}`];
  });
};
