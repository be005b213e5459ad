import type { EventKind } from '@refledger/contracts';
import type { Admin } from 'kafkajs';
import { defaultPrefix } from './kafka-client.js';

/** The names of everything of ours on a cluster. */
export interface Topics {
  /** Public events, a topic for each kind of record. */
  readonly records: readonly string[];
  readonly topicOf: (kind: EventKind) => string;
  /** What isn't ours and stood in our topics. */
  readonly deadLetters: string;
  /** How far the relay has come: compacted, of one partition, which is the relay's turn as well. */
  readonly checkpoints: string;
  readonly relayGroup: string;
  readonly transactionalId: string;
}

export const topicsNamed = (prefix = defaultPrefix): Topics => ({
  records: recordKinds.map((kind) => `${prefix}.${kind}s`),
  topicOf: (kind) => `${prefix}.${kind.slice(0, kind.indexOf('.'))}s`,
  deadLetters: `${prefix}.dead-letters`,
  checkpoints: `${prefix}.relay-checkpoints`,
  relayGroup: `${prefix}.relay`,
  transactionalId: `${prefix}.relay`,
});

export interface TopicShape {
  readonly partitions: number;
  /** Default the broker's own. */
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

const recordKinds = ['affiliate', 'conversion', 'payout'] as const;

/** Small segments: the last one is never compacted, and a relay reads all of it when its turn comes. */
const compacted = [
  { name: 'cleanup.policy', value: 'compact' },
  { name: 'segment.bytes', value: String(1024 * 1024) },
  { name: 'min.cleanable.dirty.ratio', value: '0.1' },
];
