import type { EventId } from '@refledger/contracts';
import { plainPersonalData } from '@refledger/domain/testing';
import { UnreadableEvent, type EventLog, type LoggedEvent } from '@refledger/event-log';
import { eventually } from '@refledger/testing';
import { Kafka, logLevel } from 'kafkajs';
import type { PublishedRecord } from '../../src/event-bus.js';
import { openKafkaPublication } from '../../src/kafka/publishing/kafka-publication.js';
import { toMessage } from '../../src/kafka/message.js';
import { RecordMaker } from '../../src/record-maker.js';
import { quiet } from './quiet.js';

export interface Feed {
  stop(): Promise<void>;
}

/**
 * Publishes the events of a log as a relay of a newer release would: an event that this release
 * can't read becomes a message that this release can't read.
 */
export const startFeed = async (
  log: EventLog,
  brokers: readonly string[],
  prefix: string,
  partitions: number,
): Promise<Feed> => {
  const publication = openKafkaPublication({ brokers, prefix, logger: quiet, partitions });
  const stop = new AbortController();
  // A new broker first loads its coordinators; a relay retries until it has.
  const leadership = await eventually(() => publication.lead(stop.signal, () => undefined));
  const session = await leadership.start();
  const producer = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  const feeding = (async () => {
    const beyond = new Set<EventId>();
    const maker = new RecordMaker({
      log,
      personalData: plainPersonalData,
      isSkipped: (id) => beyond.has(id),
    });
    for await (const { events } of log.subscribe({ signal: stop.signal })) {
      for (const event of events) {
        const made = await maker.make(event).catch((error: unknown) => {
          if (!(error instanceof UnreadableEvent)) throw error;
          beyond.add(event.id);
          return 'unreadable' as const;
        });
        if (made === 'unreadable')
          await producer.send({
            topic: `${prefix}.affiliates`,
            messages: [{ ...toMessage(skeletonOf(event), log.id), value: '{"object":"aff' }],
          });
        await session.publish(made === 'unreadable' || made === undefined ? [] : [made], {
          logId: log.id,
          position: event.position,
          eventId: event.id,
        });
      }
    }
  })();
  return {
    async stop() {
      stop.abort();
      await feeding;
      await session.close();
      await producer.disconnect();
      await publication.close();
    },
  };
};

const skeletonOf = ({
  id,
  type,
  stream,
  position,
  revision,
  metadata,
}: LoggedEvent): PublishedRecord => {
  const affiliate = stream.replace('refledger.affiliate-', '');
  return {
    eventId: id,
    type,
    accountId: metadata.account_id,
    key: affiliate,
    position,
    revision,
    timestamp: metadata.recorded_at,
    record: { id: affiliate },
  } as PublishedRecord;
};
