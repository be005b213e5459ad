import type { MessagePort } from 'node:worker_threads';
import type { PartHealth } from '@refledger/platform';

/** What the processors' thread is started with. */
export interface ProcessorsData {
  /** A port to the log's writer, which runs in another thread. */
  readonly writer: MessagePort | undefined;
  /** A port to the main thread, which offers the `HealthMethods`. */
  readonly health: MessagePort;
  /** Why nothing is sent; undefined if webhooks are. */
  readonly sendsNothing: string | undefined;
}

/** What the processors' thread does for the main thread. */
export interface ProcessorsMethods {
  /** Returns once the processors run. */
  started(): Promise<void>;
  /** The thread's metrics, as prom-client's JSON. */
  metrics(): Promise<object[]>;
  /** Changes why nothing is sent; with undefined, webhooks are sent. */
  setOutgoing(reason: string | undefined): void;
}

/** What the main thread does for the processors' thread. */
export interface HealthMethods {
  report(part: PartHealth): void;
}
