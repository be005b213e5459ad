import type { MessagePort } from 'node:worker_threads';
import type { PartHealth } from '@refledger/platform';

/**
 * The data that the processors' thread is started with: a port to the log's writer, which runs in
 * another thread.
 */
export interface ProcessorsData {
  readonly writer: MessagePort;
}

/** Messages from the main thread to the processors' thread. */
export type ToProcessors =
  { readonly type: 'stop' } | { readonly type: 'metrics'; readonly request: number };

/** Messages from the processors' thread to the main thread. */
export type FromProcessors =
  | { readonly type: 'started' }
  | { readonly type: 'health'; readonly health: PartHealth }
  | { readonly type: 'metrics'; readonly request: number; readonly metrics: object[] };
