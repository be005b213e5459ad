import { topics, type PublicEventType } from '@refledger/contracts';
import type { Admin } from 'kafkajs';
import { defaultPrefix } from './kafka-client.js';

/** The names of everything that Refledger has on a cluster. */
export interface Topics {
  /** The topics of public events, one topic per kind of record. */
  readonly records: readonly string[];
  readonly topicOf: (kind: PublicEventType) => string | undefined;
  /** The topic for foreign messages found in Refledger's topics. */
  readonly deadLetters: string;
  /**
   * The topic of the relay's checkpoint. It is compacted and has one partition, whose assignment
   * decides which relay leads.
   */
  readonly checkpoints: string;
  readonly relayGroup: string;
  readonly transactionalId: string;
}

/** Names the topics, the group and the transactional id of a prefix. */
export const topicsNamed = (prefix = defaultPrefix): Topics => {
  const named = new Map([...topics].map(([kind, topic]) => [kind, `${prefix}.${topic}`]));
  return {
    records: [...new Set(named.values())],
    topicOf: (kind) => named.get(kind),
    deadLetters: `${prefix}.dead-letters`,
    checkpoints: `${prefix}.relay-checkpoints`,
    relayGroup: `${prefix}.relay`,
    transactionalId: `${prefix}.relay`,
  };
};

/** How missing topics are created. */
export interface TopicShape {
  readonly partitions: number;
  /** Default: the broker's. */
  readonly replicationFactor?: number | undefined;
}

/** Creates the topics that are missing; the others stay as they are. */
export const createTopics = async (
  admin: Pick<Admin, 'listTopics' | 'createTopics'>,
  topics: Topics,
  { partitions, replicationFactor = -1 }: TopicShape,
): Promise<void> => {
  const there = new Set(await admin.listTopics());
  const wanted = [
    ...topics.records.map((topic) => ({ topic, numPartitions: partitions, replicationFactor })),
    { topic: topics.deadLetters, numPartitions: 1, replicationFactor },
    { topic: topics.checkpoints, numPartitions: 1, replicationFactor, configEntries: compacted },
  ];
  const missing = wanted.filter(({ topic }) => !there.has(topic));
  if (missing.length > 0) await admin.createTopics({ topics: missing });
};

/**
 * Small segments, because the last segment is never compacted, and a relay reads all of it when it
 * starts to lead.
 */
const compacted = [
  { name: 'cleanup.policy', value: 'compact' },
  { name: 'segment.bytes', value: String(1024 * 1024) },
  { name: 'min.cleanable.dirty.ratio', value: '0.1' },
];
