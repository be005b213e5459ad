import {
  completeData,
  isObject,
  streamPrefix,
  visibleText,
  type StreamName,
} from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import { changesOf, type Change } from './changes.js';
import { endpointVersions } from './endpoint-versions.js';
import { personalChanges, shownText, type PersonalView } from './personal-changes.js';
import { redactedChanges, redactedEvent } from './redact.js';
import { showValue } from './show-value.js';

/** An event as one line of JSON, without secrets. With a view, it shows personal values. */
export const eventJson = (event: LoggedEvent, view?: PersonalView): string => {
  const { position, stream, revision, id, type, data, metadata } = redactedEvent(complete(event));
  const shown = view !== undefined && isObject(data) ? { ...data, sealed: shownText(view) } : data;
  return JSON.stringify({ position, stream, revision, id, type, data: shown, metadata });
};

export const rowHeading = (width?: number): string =>
  fitted(row(['position', 'time', 'type', 'of', 'by', 'what']), width);

/**
 * An event as a table row without secrets, cut to the terminal's width. With a view, it shows
 * personal values.
 */
export const eventRow = (event: LoggedEvent, width?: number, view?: PersonalView): string => {
  const { position, type, stream, metadata } = event;
  const what = changesBy(event, { view })
    .map((change) => `${visibleText(change.field)} ${valuesIn(change)}`)
    .join(', ');
  return fitted(
    row([position, metadata.recorded_at, type, streamLabel(stream), metadata.actor, what]),
    width,
  );
};

/** An event as a paragraph of its stream's history, without secrets. */
export const eventParagraph = (event: LoggedEvent, context: EventContext = {}): string => {
  const { position, type, revision, metadata } = event;
  const head = `${metadata.recorded_at}  ${type}  by ${metadata.actor}  (revision ${revision}, position ${position}, request ${metadata.request_id})`;
  return [
    head,
    ...changesBy(event, context).map(
      (change) => `    ${visibleText(change.field)}: ${valuesIn(change)}`,
    ),
  ].join('\n');
};

export interface EventContext {
  /** The fields of the record's previous event. */
  readonly earlier?: unknown;
  /** The personal values to show. */
  readonly view?: PersonalView | undefined;
}

const changesBy = (event: LoggedEvent, { earlier, view }: EventContext): readonly Change[] => {
  const endpoint = endpointVersions(event);
  if (endpoint !== undefined)
    return redactedChanges(
      event,
      changesOf({ data: { ...endpoint.about, fields: endpoint.after } }, endpoint.before),
    );
  const personal = personalChanges(event, view);
  const changes = redactedChanges(event, changesOf(complete(event), earlier));
  return personal.length === 0
    ? changes
    : [...changes.filter(({ field }) => field !== 'sealed'), ...personal];
};

/** An event with the members that it was recorded without. */
const complete = (event: LoggedEvent): LoggedEvent => ({
  ...event,
  data: completeData(event),
});

/**
 * A stream's short name for operators, which `ops show` accepts: the record's id where that is
 * enough.
 */
export const streamLabel = (stream: StreamName): string =>
  stream
    .slice(streamPrefix.length)
    .replace(/^(?:affiliate|conversion|account|balance)-(?=[a-z]+_)/, '')
    .replace(/^(bal_[^-]+)-.*$/, '$1');

const valuesIn = (change: Change): string => {
  if (!('before' in change)) return showValue(change.after);
  return `${showValue(change.before)} → ${'after' in change ? showValue(change.after) : 'gone'}`;
};

const widths = [8, 24, 26, 36, 30];

const row = (cells: readonly string[]): string =>
  cells
    .map((cell, index) =>
      index === 0 ? cell.padStart(widths[0] ?? 0) : cell.padEnd(widths[index] ?? 0),
    )
    .join('  ')
    .trimEnd();

const fitted = (line: string, width: number | undefined): string =>
  width === undefined || line.length <= width ? line : `${line.slice(0, width - 1)}…`;
