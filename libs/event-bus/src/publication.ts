import type { Checkpoint, Position } from '@refledger/contracts';
import type { PublishedRecord } from './event-bus.js';

/** The checkpoint up to which everything is published. */
export interface PublishedCheckpoint extends Checkpoint {
  /** The position of the last record published so far. */
  readonly lastRecord?: Position | undefined;
}

/** Where relays publish. Of several relays, one leads and the others stand by. */
export interface Publication {
  /**
   * Waits until this relay leads. Calls `onStandby` while another one does. Rejects when the signal
   * aborts, or if the bus is unavailable.
   */
  lead(signal: AbortSignal, onStandby: () => void): Promise<Leadership>;
  close(): Promise<void>;
}

/** The right of one relay to publish. */
export interface Leadership {
  /** Aborts when another relay leads; its reason says why. */
  readonly over: AbortSignal;
  /**
   * Fences off all earlier publishers, including a relay that was suspended and resumes, and reads
   * how far they got. Call it again after any error.
   */
  start(): Promise<PublicationSession>;
}

/** The right to publish, until another relay starts a session. */
export interface PublicationSession {
  /**
   * Created together with the topic that stores the checkpoint. A different id means that the
   * checkpoint was lost.
   */
  readonly storeId: string;
  /** Undefined if nothing was ever published. */
  readonly checkpoint: PublishedCheckpoint | undefined;
  /**
   * Atomically publishes records, in order, and the checkpoint `through`. After an error it is
   * unknown whether that happened, and the session is unusable.
   */
  publish(records: readonly PublishedRecord[], through: Checkpoint): Promise<void>;
  close(): Promise<void>;
}
