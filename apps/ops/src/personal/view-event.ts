import { isObject, type AffiliateId } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import type { PersonalView } from '../format/personal-changes.js';
import type { PersonalValues } from './personal-values.js';

/** Opens the personal values of an event. Undefined for an event that has none. */
export const viewEvent = async (
  event: LoggedEvent,
  log: Pick<EventLog, 'readStream'>,
  personal: PersonalValues,
): Promise<PersonalView | undefined> => {
  const after = sealedIn(event);
  if (after === undefined) return undefined;
  const before = changesValues(event) ? await sealedBefore(event, log) : undefined;
  const opened = await personal.open(after.id, [after.text, ...(before ? [before.text] : [])]);
  if (opened.kind !== 'open') return opened;
  const values = opened.values.get(after.text);
  if (values === undefined) throw new TypeError('a sealed text was not opened');
  return {
    kind: 'open',
    before: before && opened.values.get(before.text),
    after: values,
  };
};

interface SealedText {
  readonly id: AffiliateId;
  readonly text: string;
}

/** The sealed text of an event of an affiliate; undefined if it has none. */
export const sealedIn = ({ type, data }: LoggedEvent): SealedText | undefined => {
  if (!type.startsWith('affiliate.') || !isObject(data)) return undefined;
  const { affiliate_id: id, sealed: text } = data;
  // a decoding border: only the id of an affiliate is recorded there
  return typeof text === 'string' && typeof id === 'string'
    ? { id: id as AffiliateId, text }
    : undefined;
};

const changesValues = ({ data }: LoggedEvent): boolean =>
  isObject(data) && Array.isArray(data['changed']) && data['changed'].length > 0;

const sealedBefore = async (
  { stream, revision }: LoggedEvent,
  log: Pick<EventLog, 'readStream'>,
): Promise<SealedText | undefined> => {
  for await (const [earlier] of log.readStream(stream, { from: revision - 1, to: revision - 1 }))
    return earlier && sealedIn(earlier);
  return undefined;
};
