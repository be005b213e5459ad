import type { Consumer, ConsumerConfig, EachBatchPayload, Kafka } from 'kafkajs';
import { CheckpointTopic } from './checkpoint-topic.js';
import type { Topics } from '../topics.js';

export interface RelayMembershipOptions {
  readonly kafka: Kafka;
  readonly topics: Topics;
  readonly session: Pick<ConsumerConfig, 'sessionTimeout' | 'heartbeatInterval'>;
}

/**
 * A relay as a member of the group of relays. The group's only partition holds the checkpoints, and
 * the member to which it is assigned leads: it publishes, and reads the partition from the
 * start for as long as it leads.
 */
export class RelayMembership {
  readonly checkpoints = new CheckpointTopic();
  private readonly consumer: Consumer;
  private leadership: AbortController | undefined;
  private isMember = false;
  private failure: { readonly error: unknown } | undefined;
  private readonly watching = new Set<() => void>();

  constructor(private readonly options: RelayMembershipOptions) {
    const { kafka, topics, session } = options;
    this.consumer = kafka.consumer({
      groupId: topics.relayGroup,
      ...session,
      allowAutoTopicCreation: false,
      maxWaitTimeInMs: 100,
      retry: { restartOnFailure: () => Promise.resolve(false) },
    });
  }

  async join(): Promise<void> {
    const { consumer } = this;
    const { checkpoints } = this.options.topics;
    consumer.on(consumer.events.GROUP_JOIN, ({ payload: { memberAssignment } }) =>
      this.joined((memberAssignment[checkpoints] ?? []).length > 0),
    );
    consumer.on(consumer.events.CRASH, ({ payload: { error } }) => this.fail(error));
    await consumer.connect();
    await consumer.subscribe({ topics: [checkpoints], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: true,
      eachBatch: (payload) => this.read(payload),
    });
  }

  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /** Waits until this relay leads. Resolves with a signal that aborts when it no longer does. */
  async untilLeading(signal: AbortSignal, onStandby: () => void): Promise<AbortSignal> {
    for (;;) {
      signal.throwIfAborted();
      if (this.failure !== undefined) throw this.failure.error;
      if (this.leadership !== undefined) return this.leadership.signal;
      if (this.isMember) onStandby();
      await this.change(signal);
    }
  }

  /** Notes in the group how far the relay has got, for consumers to see. */
  async commitMetadata(metadata: string): Promise<void> {
    await this.consumer.commitOffsets([
      {
        topic: this.options.topics.checkpoints,
        partition: 0,
        offset: this.checkpoints.next,
        metadata,
      },
    ]);
  }

  async leave(): Promise<void> {
    this.leadership?.abort(new Error('the relay is closing'));
    await this.consumer.disconnect();
  }

  private joined(mine: boolean): void {
    this.isMember = true;
    if (mine) {
      this.consumer.seek({ topic: this.options.topics.checkpoints, partition: 0, offset: '0' });
      this.leadership ??= new AbortController();
    } else {
      this.leadership?.abort(new Error('another relay is publishing now'));
      this.leadership = undefined;
    }
    this.changed();
  }

  private fail(error: unknown): void {
    this.failure = { error };
    this.leadership?.abort(error);
    this.leadership = undefined;
    this.changed();
  }

  private read({ batch: { messages } }: EachBatchPayload): Promise<void> {
    for (const message of messages) this.checkpoints.apply(message);
    return Promise.resolve();
  }

  private changed(): void {
    for (const wake of this.watching) wake();
    this.watching.clear();
  }

  private change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.watching.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
