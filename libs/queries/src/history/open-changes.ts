import {
  isEventOf,
  type AffiliateEvent,
  type AffiliateValues,
  type OwnStreamKind,
  type RecordedEvent,
} from '@refledger/contracts';
import {
  affiliateEventChanges,
  erasedEventChanges,
  erasedRecord,
  eventChanges,
} from '@refledger/domain';
import type { PastChange } from '@refledger/application';
import type { PersonalData } from '@refledger/personal-data';
import type { OpenChanges, RecordChange } from './shown-change.js';

/** Opens the changes to a record of this kind, and the records after them. */
export const openChanges = async (
  personalData: Pick<PersonalData, 'openValues' | 'openRecords'>,
  kind: OwnStreamKind,
  past: readonly PastChange[],
): Promise<readonly RecordChange[]> => {
  const changes =
    kind === 'affiliate'
      ? await affiliateChanges(personalData, past)
      : past.map(({ event }) => eventChanges(kind, event));
  const records = await personalData.openRecords(past.flatMap(({ record }) => record ?? []));
  const withRecords = records.length === past.length;
  return past.flatMap(({ event }, index) => {
    const changed = changes[index];
    return changed === undefined
      ? []
      : { event, ...changed, record: withRecords ? records[index] : undefined };
  });
};

/** Returns the changes to an erased affiliate, and the records after them, without values. */
export const erasedChanges = (past: readonly PastChange[]): readonly RecordChange[] =>
  past.map(({ event, record }) => ({
    event,
    ...erasedEventChanges(affiliateEvent(event)),
    isErased: true,
    record: record?.object === 'affiliate' ? erasedRecord(record) : undefined,
  }));

const affiliateChanges = async (
  personalData: Pick<PersonalData, 'openValues'>,
  past: readonly PastChange[],
): Promise<readonly OpenChanges[]> => {
  const around = past.map(({ event, previous }) => ({
    event: affiliateEvent(event),
    before: previous && sealedAfter(affiliateEvent(previous)),
  }));
  const [first] = around;
  if (first === undefined) return [];
  const texts = around.flatMap(({ event, before }) => [before, sealedAfter(event)]);
  const values = await personalData.openValues(
    first.event.data.affiliate_id,
    new Set(texts.filter((text) => text !== undefined)),
  );
  if (values === undefined)
    return around.map(({ event }) => ({ ...erasedEventChanges(event), isErased: true }));
  const valuesIn = (sealed: string | undefined): AffiliateValues | undefined =>
    sealed === undefined ? undefined : values.get(sealed);
  return around.map(({ event, before }) =>
    affiliateEventChanges(event, {
      before: valuesIn(before),
      after: valuesIn(sealedAfter(event)),
    }),
  );
};

const affiliateEvent = (event: RecordedEvent): RecordedEvent<AffiliateEvent> => {
  if (!isEventOf('affiliate', event)) throw new TypeError(`${event.type} is not of an affiliate`);
  return event;
};

/** The sealed values after an event; undefined after the affiliate was deleted or erased. */
const sealedAfter = ({ data }: RecordedEvent<AffiliateEvent>): string | undefined =>
  'sealed' in data ? data.sealed : undefined;
