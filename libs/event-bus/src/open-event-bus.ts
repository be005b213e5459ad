import { openByScheme, type AdapterTable } from '@refledger/engines';
import type { EventLog } from '@refledger/event-log';
import type { PersonalData } from '@refledger/personal-data';
import type { EventBus } from './event-bus.js';
import type { KafkaLogger } from './kafka/kafka-logs.js';
import type { TopicShape } from './kafka/topics.js';
import type { Publication } from './publication.js';

/** Parts that the adapters need besides the URL. Each uses what applies to its engine. */
export interface OpenEventBusOptions {
  /** The log whose records are consumed. Closing the bus leaves it open. */
  readonly log: EventLog;
  /** Opens the personal values in records, where they are made from the log. */
  readonly personalData: Pick<PersonalData, 'openRecords'>;
  /** Consumers with the same group name share the partitions. */
  readonly group: string;
  readonly logger: KafkaLogger;
  /** The prefix of all names on a cluster that several services share. Default: `refledger`. */
  readonly prefix?: string;
  /** The number of stream states cached, where records are made from the log. */
  readonly cacheSize?: number;
}

/** Opens the bus that a URL names, for consumers. */
export const openEventBus = (url: string, options: OpenEventBusOptions): Promise<EventBus> =>
  openByScheme(buses, url, options);

const buses: AdapterTable<OpenEventBusOptions, EventBus> = {
  'log:': async (_url, options) => (await import('./log/index.js')).openLogBus(options),
  'kafka:': async (url, options) => {
    const { brokersOf, openKafkaBus } = await import('./kafka/index.js');
    return openKafkaBus({ brokers: brokersOf(url), ...options });
  },
};

type OpenPublicationOptions = TopicShape & Pick<OpenEventBusOptions, 'logger' | 'prefix'>;

/**
 * Opens the bus that a URL names, for a relay. Undefined where there is nothing to relay, since the
 * event log itself is the bus.
 */
export const openPublication = (
  url: string,
  options: OpenPublicationOptions,
): Promise<Publication | undefined> => openByScheme(publications, url, options);

const publications: AdapterTable<OpenPublicationOptions, Publication | undefined> = {
  'log:': () => Promise.resolve(undefined),
  'kafka:': async (url, options) => {
    const { brokersOf, openKafkaPublication } = await import('./kafka/index.js');
    return openKafkaPublication({ brokers: brokersOf(url), ...options });
  },
};
