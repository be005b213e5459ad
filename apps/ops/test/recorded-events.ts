import { randomUUID } from 'node:crypto';
import { CommandHandler } from '@refledger/application';
import { newId, streams, toInstant, type DomainEvent } from '@refledger/contracts';
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

const metadataOf = (actor: string) => ({
  account_id: null,
  actor,
  request_id: 'test',
  recorded_at: toInstant(Date.now()),
});
