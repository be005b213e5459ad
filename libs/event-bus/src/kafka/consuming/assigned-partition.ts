import type { Batch, KafkaMessage } from 'kafkajs';
import { publicEventId } from '@refledger/contracts';
import { OffsetNotFound, type Offset } from '../../event-bus.js';
import { offsetInPartition, type PartitionStart, type LastRecord } from './offset-in-partition.js';

/**
 * Whether a batch continues where reading left off. `read again`: the batch was fetched before the
 * last assignment, so it is dropped.
 */
export type Continuation = 'yes' | 'read again';

/** Follows one partition from batch to batch, and detects missing records. */
export class AssignedPartition {
  /** The offset at which the next batch must start. */
  expected: bigint;
  private last: LastRecord | undefined;
  private expectedLast: LastRecord | undefined;
  private strayed = false;

  constructor(
    readonly topic: string,
    readonly number: number,
    private readonly source: string,
    { offset, last }: PartitionStart,
  ) {
    this.expected = offset;
    this.expectedLast = last;
    this.last = last;
  }

  get name(): string {
    return partitionName(this);
  }

  /** The offset to store once everything before `expected` is handled. */
  get offset(): Offset {
    return offsetInPartition(this.source, this.name, this.expected - 1n, this.last);
  }

  /**
   * Checks where a batch starts. The first stray batch is read again; a second one throws
   * `OffsetNotFound`, because kafkajs silently continues after deleted offsets.
   */
  continueWith(batch: Pick<Batch, 'firstOffset' | 'messages'>): Continuation {
    const first = batch.firstOffset();
    if (first !== null && BigInt(first) !== this.expected) {
      if (this.strayed)
        throw new OffsetNotFound(
          this.offset,
          `${this.name} continues at offset ${first} instead of ${this.expected}; the messages in between are gone`,
        );
      this.strayed = true;
      return 'read again';
    }
    this.strayed = false;
    return 'yes';
  }

  /**
   * The messages that have not been handled yet. Throws `OffsetNotFound` if the first is not the
   * record that was read at that offset.
   */
  unread(messages: readonly KafkaMessage[]): readonly KafkaMessage[] {
    const known = this.expectedLast;
    if (known === undefined) return messages;
    const [first, ...rest] = messages;
    if (
      first === undefined ||
      BigInt(first.offset) !== known.offset ||
      String(first.headers?.ce_id) !== publicEventId(known.eventId)
    ) {
      throw new OffsetNotFound(
        this.offset,
        `${this.name} has a different message at offset ${known.offset}, where event ${known.eventId} was read, so it is a different topic`,
      );
    }
    this.expectedLast = undefined;
    this.expected = known.offset + 1n;
    return rest;
  }

  /** Records that everything up to and including this offset was read. */
  advanceTo(offset: string, last?: LastRecord): void {
    this.expected = BigInt(offset) + 1n;
    if (last !== undefined) this.last = last;
  }
}

/** The name of a partition on the bus: `<topic>/<number>`. */
export const partitionName = ({ topic, number }: { topic: string; number: number }): string =>
  `${topic}/${number}`;
