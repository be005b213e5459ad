import { randomUUID } from 'node:crypto';
import { newId, streams, type AffiliateId } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type LoggedEvent, type NewEvent } from '@refledger/event-log';
import { TestAccount, waitFor, type StandaloneService } from '@refledger/testing';
import type { Attack } from './attack.js';

const minute = 60_000;
/** More busy minutes than the gateway keeps in memory. */
const minutes = 80;
/** A busy minute: less than half of what one key may write. */
const eventsPerMinute = 2_500;
/** The number of events per append, which stays below the maximum size of an append. */
const together = 500;

/** Reads a record as of times in many busy minutes in turn, so that none is read from memory. */
export const busyMinutes: Attack = {
  name: 'times in busy minutes',
  perSecond: 100,
  connections: 250,
  responses: [200, 503],
  responseBytes: 500,
  seed: async (service, clock) => {
    const { account, affiliate } = await TestAccount.withAffiliate(service);
    await account.update(affiliate, { name: 'Example' });
    const begin = minute * Math.ceil(Date.now() / minute + 1);
    await service.kill();
    await appendMinutes(service, affiliate.id as AffiliateId, begin);
    clock.startAt((minutes + 5) * minute);
    await service.start();
    const asOf = (time: number): string =>
      `/v1/affiliates/${affiliate.id}?as_of=${new Date(time).toISOString()}`;
    // only once the read models have reached the end of the log
    const end = asOf(begin + minutes * minute);
    await waitFor(async () => (await account.api.get(end)).status === 200, { timeoutMs: 120_000 });
    return { apiKey: account.api.key ?? '', path: asOf(begin) };
  },
  sender: ({ apiKey, path }, send) => {
    const [record = '', begin = ''] = path.split('?as_of=');
    return async (n) => {
      const time = Date.parse(begin) + (n % minutes) * minute + minute - 1;
      const asOf = `${record}?as_of=${new Date(time).toISOString()}`;
      return (await send(n, { method: 'GET', path: asOf, apiKey })).status;
    };
  },
};

/** Appends minutes full of changes to a stopped service's log, each to an affiliate of its own. */
const appendMinutes = async (
  { dataDir }: StandaloneService,
  example: AffiliateId,
  begin: number,
): Promise<void> => {
  const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'write' });
  try {
    const examples: LoggedEvent[] = [];
    for await (const batch of log.readStream(streams.affiliate(example))) examples.push(...batch);
    for (let n = 0; n < minutes; n++) {
      const affiliate = newId('affiliate');
      const events = changes(examples, affiliate, begin + n * minute);
      for (let at = 0; at < events.length; at += together) {
        const expected = at === 0 ? 'no stream' : at - 1;
        await log.append(streams.affiliate(affiliate), events.slice(at, at + together), expected);
      }
    }
  } finally {
    await log.close();
  }
};

/** The events of a minute: an affiliate is created and changed like the example. */
const changes = (
  examples: readonly LoggedEvent[],
  affiliate_id: AffiliateId,
  begin: number,
): NewEvent[] =>
  Array.from({ length: eventsPerMinute }, (_, n) => {
    const example = n === 0 ? examples[0] : examples.at(-1);
    if (example === undefined) throw new Error('the affiliate has no events');
    const { type, data, metadata } = example;
    const recorded_at = new Date(begin + (n * minute) / eventsPerMinute).toISOString();
    return {
      id: randomUUID(),
      type,
      data: { ...(data as object), affiliate_id },
      metadata: { ...metadata, recorded_at },
    };
  });
