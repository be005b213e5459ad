import type { MessagePort } from 'node:worker_threads';
import type { PartHealth } from '@refledger/platform';

/** What the followers' thread is started with: a way to the log's writer, which lives in another thread. */
export interface FollowersData {
  readonly writer: MessagePort;
}

/** What the main thread says to the followers' thread. */
export type ToFollowers =
  { readonly say: 'stop' } | { readonly say: 'metrics'; readonly request: number };

/** What the followers' thread says to the main thread. */
export type FromFollowers =
  | { readonly say: 'started' }
  | { readonly say: 'health'; readonly health: PartHealth }
  | { readonly say: 'metrics'; readonly request: number; readonly metrics: object[] };
