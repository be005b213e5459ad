import { randomUUID } from 'node:crypto';
import { CommandHandler } from '@refledger/application';
import {
  eventSchemaVersion,
  newId,
  streams,
  toInstant,
  type AffiliateId,
  type DomainEvent,
} from '@refledger/contracts';
import { affiliateDecider } from '@refledger/domain';
import { embeddedUrls } from '@refledger/engines';
import { encodeEvent, openEventLog } from '@refledger/event-log';
import { carryOut } from '@refledger/operator';
import { present } from '@refledger/testing/present';

/** Records an event of another service in a log. */
export const recordForeignEvent = async (url: string, dataDir: string): Promise<void> => {
  const log = await openEventLog(url, { dataDir, mode: 'write' });
  const account = { account_id: newId('account'), name: 'Another' };
  const event = encodeEvent(
    { type: 'account.created', data: account },
    randomUUID(),
    metadataOf('another'),
  );
  await log.append(streams.account(newId('account')), [event], 'no stream');
  await log.close();
};

/** Records an event that cannot be read in a directory, and the decisions to skip it. */
export const recordSkippedEvent = async (dataDir: string): Promise<void> => {
  const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'write' });
  try {
    const stream = streams.conversion(newId('conversion'));
    const event = encodeEvent(
      { type: 'conversion.poison', data: { odd: true } } as unknown as DomainEvent,
      randomUUID(),
      metadataOf('test'),
    );
    const { position } = await log.append(stream, [event], 'no stream');
    for (const processor of ['projector', 'posting', 'webhook-dispatcher'])
      await carryOut(new CommandHandler(log), {
        type: 'skip',
        processor,
        event_id: event.id,
        position: present(position),
      });
  } finally {
    await log.close();
  }
};

/** Records in a directory that a later release erased an affiliate. */
export const recordNewerErasure = async (
  dataDir: string,
  affiliate: AffiliateId,
): Promise<void> => {
  const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'write' });
  try {
    const stream = streams.affiliate(affiliate);
    const { revision } = await new CommandHandler(log).load(affiliateDecider, stream);
    const event = encodeEvent(
      { type: 'affiliate.erased', data: { affiliate_id: affiliate, program_id: 'prog_a' } },
      randomUUID(),
      metadataOf('test'),
    );
    const metadata = { ...event.metadata, schema: eventSchemaVersion + 1 };
    await log.append(stream, [{ ...event, metadata }], revision ?? 'no stream');
  } finally {
    await log.close();
  }
};

const metadataOf = (actor: string) => ({
  account_id: null,
  actor,
  request_id: 'test',
  recorded_at: toInstant(Date.now()),
});
