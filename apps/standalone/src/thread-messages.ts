import type { MessagePort } from 'node:worker_threads';
import type { PartHealth } from '@refledger/platform';

/** What the processors' thread is started with: a way to the log's writer, which lives in another thread. */
export interface ProcessorsData {
  readonly writer: MessagePort;
}

/** What the main thread sends to the processors' thread. */
export type ToProcessors =
  { readonly type: 'stop' } | { readonly type: 'metrics'; readonly request: number };

/** What the processors' thread sends to the main thread. */
export type FromProcessors =
  | { readonly type: 'started' }
  | { readonly type: 'health'; readonly health: PartHealth }
  | { readonly type: 'metrics'; readonly request: number; readonly metrics: object[] };
