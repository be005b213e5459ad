import {
  isEventOf,
  type AffiliateEvent,
  type AffiliateValues,
  type OwnStreamKind,
  type RecordedEvent,
} from '@refledger/contracts';
import { affiliateEventChanges, eventChanges, type EventChanges } from '@refledger/domain';
import type { PastChange } from '@refledger/application';
import type { PersonalData } from '@refledger/personal-data';
import type { RecordChange } from './shown-change.js';

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

const affiliateChanges = async (
  personalData: Pick<PersonalData, 'openValues'>,
  past: readonly PastChange[],
): Promise<readonly EventChanges[]> => {
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

/** The sealed values after an event; undefined after the affiliate was deleted. */
const sealedAfter = (event: RecordedEvent<AffiliateEvent>): string | undefined =>
  event.type === 'affiliate.deleted' ? undefined : event.data.sealed;
