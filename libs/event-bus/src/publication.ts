import type { Checkpoint, Position } from '@refledger/contracts';
import type { PublishedRecord } from './event-bus.js';

/** How far everything has been published. */
export interface PublishedCheckpoint extends Checkpoint {
  /** Position of the last record published so far. */
  readonly lastRecord?: Position | undefined;
}

/** Where relays publish. Of all that are there at the same time one has its turn, the others stand by. */
export interface Publication {
  /** Waits for this relay's turn; `onStandby` hears that another has it. Rejects when the signal aborts, or when the bus is away. */
  turn(signal: AbortSignal, onStandby: () => void): Promise<Turn>;
  close(): Promise<void>;
}

export interface Turn {
  /** Aborts when the turn is over; its reason says why. */
  readonly over: AbortSignal;
  /** Shuts out whoever published before, a relay that was paused and wakes up included, and finds out how far that came. To be called again after any error. */
  begin(): Promise<PublicationSession>;
}

export interface PublicationSession {
  /** Made with the topic that keeps the checkpoint: another one means that it was lost. */
  readonly storeId: string;
  /** Undefined when nothing was ever published. */
  readonly checkpoint: PublishedCheckpoint | undefined;
  /** Publishes records, in order, and that everything up to `through` is published: both or neither. After an error it is not known which, and the session is of no more use. */
  publish(records: readonly PublishedRecord[], through: Checkpoint): Promise<void>;
  close(): Promise<void>;
}
