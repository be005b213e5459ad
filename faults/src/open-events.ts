import { isObject, type AffiliateId } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import { openKeyReader } from '@refledger/key-store';
import { PersonalData } from '@refledger/personal-data';
import { openSecretBox } from '@refledger/sealing';

/** What opens the personal values in a log. */
export interface KeysOfLog {
  /** `KEY_STORE_URL`, and the data directory, where `sqlite:` has its file. */
  readonly url: string;
  readonly dataDir: string;
  /** `SECRETS_KEY` */
  readonly secretsKey: string;
}

/**
 * Returns the events with the personal values of affiliates in the clear, among the other fields
 * after the event.
 */
export const openEvents = async (
  events: readonly LoggedEvent[],
  { url, dataDir, secretsKey }: KeysOfLog,
): Promise<LoggedEvent[]> => {
  if (!events.some((event) => sealedOf(event) !== undefined)) return [...events];
  const keys = await openKeyReader(url, { dataDir });
  const secrets = secretsKey.split(',').map((key) => Buffer.from(key, 'base64'));
  const personalData = new PersonalData(keys, openSecretBox(secrets));
  try {
    const opened: LoggedEvent[] = [];
    for (const event of events) opened.push(await openEvent(event, personalData));
    return opened;
  } finally {
    await keys.close();
  }
};

interface SealedData {
  readonly affiliate_id: AffiliateId;
  readonly after: object;
  readonly sealed: string;
}

const openEvent = async (event: LoggedEvent, personalData: PersonalData): Promise<LoggedEvent> => {
  const data = sealedOf(event);
  if (data === undefined) return event;
  const { affiliate_id, after, sealed } = data;
  const opened = await personalData.openValues(affiliate_id, new Set([sealed]));
  return { ...event, data: { ...data, after: { ...after, ...opened?.get(sealed) } } };
};

/** Undefined if the event has no personal values. */
const sealedOf = ({ type, data }: LoggedEvent): SealedData | undefined =>
  isObject(data) && 'sealed' in data && type.startsWith('affiliate.')
    ? // decoding boundary: libs/contracts/src/affiliates/affiliate.events.ts has the schemas
      (data as unknown as SealedData)
    : undefined;
