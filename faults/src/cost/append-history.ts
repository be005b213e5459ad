import { randomBytes, randomUUID } from 'node:crypto';
import { completeData, newId, streams, type StreamName } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog, type LoggedEvent, type NewEvent } from '@refledger/event-log';
import type { Growth } from './growth.js';

type Subject =
  | 'account'
  | 'keys'
  | 'webhooks'
  | 'affiliate'
  | 'program'
  | 'conversion'
  | 'adjustment'
  | 'payout';

/**
 * Streams of one account. The first event of each created its subject; the last one is repeated.
 */
export type Examples = Readonly<Record<Subject, StreamName>>;

/** The first event of a stream, with the name of the stream. */
type Beginning = readonly [StreamName, NewEvent];

/** Events per append: few enough to stay below the size limit when they have large metadata. */
const together = 15;

/** How many of a record's last changes have large metadata; the very last one does not. */
const largeChanges = 200;

/** Appends to the log of a stopped service the events that many requests would have left there. */
export const appendHistory = async (
  dataDir: string,
  examples: Examples,
  by: Growth,
): Promise<void> => {
  const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'write' });
  try {
    const first = await firstEvents(log, examples);
    await extend(log, examples.conversion, (example) => changes(example, by));
    await extend(log, examples.affiliate, (example) => changes(example, by));
    await extend(log, examples.program, (example) => changes(example, by));
    await extend(log, examples.adjustment, (example) => changes(example, by));
    await extend(log, examples.payout, (example) => changes(example, by));
    await extend(log, examples.keys, () => keys(first.keys, by));
    await extend(log, examples.webhooks, (example) => endpoints(example, by));
    await begin(log, by.conversions, (n) => [conversionLike(first.conversion, n)]);
    await begin(log, by.sales, () => [saleLike(first.conversion)]);
    await begin(log, by.affiliates, () => [affiliateLike(first.affiliate)]);
    await begin(log, by.programs, () => [programLike(first.program)]);
    await begin(log, by.adjustments, (n) => [adjustmentLike(first.adjustment, n)]);
    await begin(log, by.payouts, () => [payoutLike(first.payout)]);
    await begin(log, by.accounts, () => accountLike(first));
  } finally {
    await log.close();
  }
};

const firstEvents = async (
  log: EventLog,
  examples: Examples,
): Promise<Readonly<Record<Subject, LoggedEvent>>> => {
  const first = async (subject: Subject): Promise<LoggedEvent> =>
    one((await eventsOf(log, examples[subject]))[0]);
  return {
    account: await first('account'),
    keys: await first('keys'),
    webhooks: await first('webhooks'),
    affiliate: await first('affiliate'),
    program: await first('program'),
    conversion: await first('conversion'),
    adjustment: await first('adjustment'),
    payout: await first('payout'),
  };
};

/** Changes like this one. Some near the end have large metadata (see `largeChanges`). */
const changes = (example: LoggedEvent, { changes: count, pairs }: Growth): NewEvent[] => {
  const { after } = example.data as { readonly after: object };
  const metadata = Object.fromEntries(
    Array.from({ length: pairs }, (_, n) => [`${n}`.padStart(40, 'k'), 'v'.repeat(500)]),
  );
  const large = { ...after, metadata };
  return Array.from({ length: count }, (_, n) =>
    n < count - 1 && n >= count - largeChanges
      ? eventLike(example, { before: large, after: large })
      : eventLike(example),
  );
};

const keys = (created: LoggedEvent, { keys: live, revokedKeys }: Growth): NewEvent[] => {
  const revoked = Array.from({ length: revokedKeys }, newKey);
  return [
    ...Array.from({ length: live }, () => eventLike(created, newKey())),
    ...revoked.map((key) => eventLike(created, key)),
    ...revoked.map(({ key_id }) => ({
      ...eventLike(created),
      type: 'key.revoked',
      data: { key_id },
    })),
  ];
};

const newKey = () => ({ key_id: newId('key'), hash: randomBytes(32).toString('hex') });

const endpoints = (updated: LoggedEvent, { endpoints: count, versions }: Growth): NewEvent[] => [
  ...Array.from({ length: count }, () => ({
    ...eventLike(updated, newEndpoint(updated)),
    type: 'webhook.subscribed',
  })),
  ...Array.from({ length: versions }, () => eventLike(updated)),
];

const newEndpoint = ({ data }: LoggedEvent) => {
  const { fields } = data as { readonly fields: { readonly target_url: string } };
  const endpoint_id = newId('endpoint');
  const target_url = `${fields.target_url}/${endpoint_id}`;
  return { endpoint_id, fields: { ...fields, target_url, target_key: target_url } };
};

/** Every other conversion is like the example; the rest are rejected and in another currency. */
const conversionLike = (example: LoggedEvent, n: number): Beginning => {
  const { after } = example.data as { readonly after: object };
  const conversion_id = newId('conversion');
  const event = eventLike(example, {
    conversion_id,
    external_transaction_id: `tx-${n}`,
    customer_id: `customer-${n % 100}`,
    ...(n % 2 === 1 && { sale_currency: 'EUR', after: { ...after, status: 'rejected' } }),
  });
  return [streams.conversion(conversion_id), event];
};

/** An approved sale of the example's affiliate that earns something. */
const saleLike = (example: LoggedEvent): Beginning => {
  const { after } = example.data as { readonly after: object };
  const conversion_id = newId('conversion');
  const event = eventLike(example, {
    conversion_id,
    external_transaction_id: null,
    after: { ...after, status: 'approved', commission_amount: 100 },
  });
  return [streams.conversion(conversion_id), event];
};

const affiliateLike = (example: LoggedEvent): Beginning => {
  const { after } = example.data as { readonly after: object };
  const affiliate_id = newId('affiliate');
  const email = `${affiliate_id}@example.com`;
  const own = { ...after, email, external_id: 'shared' };
  const event = eventLike(example, { affiliate_id, after: own });
  return [streams.affiliate(affiliate_id), event];
};

const programLike = (example: LoggedEvent): Beginning => {
  const { account_id } = example.metadata;
  if (account_id === null) throw new Error('a program belongs to an account');
  const program_id = newId('program');
  return [streams.program(account_id, program_id), eventLike(example, { program_id })];
};

/** Every other adjustment is like the example; the rest are voided and in another currency. */
const adjustmentLike = (example: LoggedEvent, n: number): Beginning => {
  const { after } = example.data as { readonly after: object };
  const adjustment_id = newId('adjustment');
  const voided = { currency: 'EUR', after: { ...after, status: 'voided' } };
  const event = eventLike(example, { adjustment_id, ...(n % 2 === 1 && voided) });
  return [streams.adjustment(adjustment_id), event];
};

/** A payout that no balance has reserved: only the list shows it. */
const payoutLike = (example: LoggedEvent): Beginning => {
  const payout_id = newId('payout');
  return [streams.payout(payout_id), eventLike(example, { payout_id })];
};

const accountLike = (first: Readonly<Record<Subject, LoggedEvent>>): Beginning[] => {
  const account_id = newId('account');
  const beginnings: Beginning[] = [
    [streams.account(account_id), eventLike(first.account, { account_id })],
    [streams.keys(account_id), eventLike(first.keys, newKey())],
    [streams.webhooks(account_id), eventLike(first.webhooks, newEndpoint(first.webhooks))],
    affiliateLike(first.affiliate),
    conversionLike(first.conversion, 0),
  ];
  return beginnings.map(([stream, event]) => [
    stream,
    { ...event, metadata: { ...event.metadata, account_id } },
  ]);
};

/** The same event with a new id and with these fields replaced. */
const eventLike = ({ type, data, metadata }: NewEvent, over: object = {}): NewEvent => ({
  id: randomUUID(),
  type,
  data: { ...(data as object), ...over },
  metadata,
});

const begin = async (
  log: EventLog,
  times: number,
  beginnings: (n: number) => readonly Beginning[],
): Promise<void> => {
  const all = Array.from({ length: times }, (_, n) => beginnings(n)).flat();
  await Promise.all(all.map(([stream, event]) => log.append(stream, [event], 'no stream')));
};

const extend = async (
  log: EventLog,
  stream: StreamName,
  more: (last: LoggedEvent) => readonly NewEvent[],
): Promise<void> => {
  const last = one((await eventsOf(log, stream)).at(-1));
  const events = more(last);
  for (let at = 0; at < events.length; at += together)
    await log.append(stream, events.slice(at, at + together), last.revision + at);
};

const eventsOf = async (log: EventLog, stream: StreamName): Promise<LoggedEvent[]> => {
  const events: LoggedEvent[] = [];
  for await (const batch of log.readStream(stream))
    events.push(...batch.map((event) => ({ ...event, data: completeData(event) })));
  return events;
};

const one = (event: LoggedEvent | undefined): LoggedEvent => {
  if (event === undefined) throw new Error('a stream has no event to use as an example');
  return event;
};
