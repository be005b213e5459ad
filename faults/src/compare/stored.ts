import { emailKey } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import type { Delivery, Endpoint, Program, Replay } from '@refledger/testing';
import { same } from '../canonical.js';
import type { Facts } from '../facts.js';
import type { LoadRecord, Version } from '../history.js';
import {
  makesNoEvent,
  requestIdOf,
  type Entry,
  type Outcome,
  type WriteKind,
  type WrittenRecord,
} from '../ledger.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that every acknowledged write is in the log once, as it was acknowledged; that a refused
 * one is not there; that one of unknown outcome is there at most once, and that its repetition
 * found it. The log has nothing else.
 */
export const compareStored = ({
  entries,
  history,
}: Pick<Facts, 'entries' | 'history'>): Comparison => {
  const made: RequestEvents = (n) => history.ofRequest.get(requestIdOf(n)) ?? [];
  const unknownButStored = entries.filter(
    ({ n, outcome }) => outcome?.report === 'unknown' && made(n).length > 0,
  );
  return {
    claim: 'every acknowledged write is stored once',
    figures: {
      stored: history.ofRequest.size,
      records: history.versions.size,
      'unknown outcome, but stored': unknownButStored.length,
    },
    differences: [
      ...entries.flatMap((entry) => {
        const { n, intent, outcome } = entry;
        if (makesNoEvent(intent))
          return made(n).length === 0 ? [] : [`request ${n} (${intent.what}) made an event`];
        return entryFaults(entry, made, history).map(
          (says) => `request ${n} (${intent.what}, ${outcome?.report ?? 'open'}): ${says}`,
        );
      }),
      ...unsent(entries, history),
      ...doubles(history),
    ],
  };
};

/** The events that a request made. */
type RequestEvents = (n: number) => readonly LoggedEvent[];

const entryFaults = (entry: Entry, made: RequestEvents, history: Facts['history']): string[] => {
  const { n, intent, outcome } = entry;
  const events = made(n);
  const faults: string[] = [];
  if (!isOneWrite(events))
    faults.push(
      `made ${events.length} events, at positions ${events.map(({ position }) => position).join(' and ')}`,
    );
  if (outcome?.report === 'refused' && events.length > 0)
    faults.push(`was rejected with ${outcome.status} ${outcome.code}, but made ${events[0]?.type}`);
  if (outcome?.report === 'acknowledged')
    faults.push(
      ...responseFaults(intent.what, outcome, events.at(-1)),
      ...recordFaults(outcome, events.at(-1), history),
    );
  if (missedOriginal(entry, made))
    faults.push(`repeats ${intent.retryOf}, which had been stored, but did not find it`);
  return faults;
};

const missedOriginal = ({ intent: { retryOf }, outcome }: Entry, made: RequestEvents): boolean =>
  retryOf !== undefined && made(retryOf).length > 0 && !found(outcome);

type AcknowledgedOutcome = Outcome & { report: 'acknowledged' };

/** Whether a request made at most one event, or created a record that was approved immediately. */
const isOneWrite = (events: readonly LoggedEvent[]): boolean => {
  const [created, approved, ...more] = events;
  if (created === undefined || approved === undefined) return true;
  return (
    more.length === 0 &&
    created.stream === approved.stream &&
    approved.revision === 1 &&
    created.type.replace(/created$/, 'approved') === approved.type
  );
};

/** The differences between an acknowledgement and the last event that its request made. */
const responseFaults = (
  what: WriteKind,
  { status, replayed, position }: AcknowledgedOutcome,
  event: LoggedEvent | undefined,
): string[] => {
  if (event === undefined)
    return mustCreate(what, status, replayed)
      ? [`was acknowledged with ${status}, but made no event`]
      : [];
  const faults: string[] = [];
  if (replayed) faults.push(`was acknowledged as a repetition, but made ${event.type}`);
  if (event.position !== position)
    faults.push(`was acknowledged at position ${position}, but is at ${event.position}`);
  return faults;
};

/** The differences between the record in an acknowledgement and the log. */
const recordFaults = (
  { record }: AcknowledgedOutcome,
  event: LoggedEvent | undefined,
  { versions }: Facts['history'],
): string[] => {
  if (record === null || !isVersioned(record)) return [];
  const { id, revision } = record;
  const version = versions.get(id)?.[revision];
  if (version === undefined)
    return [`was acknowledged as ${id}, revision ${revision}, which is not in the log`];
  const faults: string[] = [];
  if (!same(unchanging(version.record), unchanging(record)))
    faults.push(
      `was acknowledged as ${JSON.stringify(record)}, but the log has ${JSON.stringify(version.record)}`,
    );
  if (event !== undefined && version.event !== event)
    faults.push(`was acknowledged with revision ${revision}, but is revision ${event.revision}`);
  return faults;
};

/** Whether the history keeps the versions of records of this kind. */
const isVersioned = (
  record: WrittenRecord,
): record is Exclude<WrittenRecord, Endpoint | Program | Replay | Delivery> =>
  !['webhook_endpoint', 'program', 'replay', 'delivery'].includes(record.object);

/** A record without what a run has paid so far, which its own stream does not say. */
const unchanging = (record: WrittenRecord | LoadRecord): object => {
  if (record.object !== 'payout_run' || record.status === 'finished') return record;
  const { payouts: _payouts, totals: _totals, ...rest } = record;
  return rest;
};

/** The events of requests that the ledger does not have. */
const unsent = (
  entries: readonly Entry[],
  { ofRequest }: Pick<Facts['history'], 'ofRequest'>,
): string[] => {
  const sent = new Set(entries.map(({ n }) => requestIdOf(n)));
  return [...ofRequest]
    .filter(([request]) => !sent.has(request))
    .map(
      ([request, [event]]) =>
        `the log holds ${event?.type} at position ${event?.position}, which no writer sent (request ${request})`,
    );
};

/**
 * Whether a repetition of a stored write found it. 404 means that it has since been deleted; an
 * unknown outcome and 503 prove nothing against it.
 */
const found = (outcome: Outcome | undefined): boolean =>
  outcome === undefined ||
  outcome.report === 'unknown' ||
  (outcome.report === 'acknowledged'
    ? outcome.replayed
    : outcome.status === 404 || outcome.status === 503);

/**
 * Whether an acknowledged write must have made an event. A replay makes none, and an update may
 * change nothing.
 */
const mustCreate = (what: WriteKind, status: number, replayed: boolean): boolean =>
  !replayed && [201, 202, 204].includes(status) && !what.endsWith('.update');

/** The records whose revisions in the log have gaps, and the names that two records share. */
const doubles = ({ versions }: Facts['history']): string[] => {
  const names = new Map<string, string>();
  return [...versions].flatMap(([id, all]) => {
    const broken = all.some(({ event }, index) => event.revision !== index)
      ? [`the revisions of ${id} in the log are not 0 to ${all.length - 1}`]
      : [];
    const name = nameOf(all.at(-1));
    if (!name) return broken;
    const other = names.get(name);
    names.set(name, id);
    return other === undefined ? broken : [...broken, `${name} exists twice: ${other} and ${id}`];
  });
};

/** The name that no other record may have. A deleted record has none. */
const nameOf = (last: Version | undefined): string | null | undefined => {
  if (last === undefined || last.deleted) return undefined;
  const { record } = last;
  switch (record.object) {
    case 'affiliate':
      return `email ${emailKey(record.email)} in ${record.program_id}`;
    case 'conversion':
      return record.external_transaction_id && `transaction ${record.external_transaction_id}`;
    case 'adjustment':
      return record.external_id && `adjustment ${record.external_id}`;
    case 'payout':
    case 'payout_run':
      return null;
  }
};
