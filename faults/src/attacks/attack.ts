import type { MovableClock, StandaloneService } from '@refledger/testing';

/** Allowed requests that slow others down, and the state in which they cost the most. */
export interface Attack {
  readonly name: string;
  readonly perSecond: number;
  readonly connections: number;
  /** The statuses that its requests may get; any other status would make it a different attack. */
  readonly responses: readonly number[];
  /** The approximate size of a response. */
  readonly responseBytes: number;
  /** Puts the service into that state. `clock` is the service's; it may be moved ahead. */
  seed(service: StandaloneService, clock: MovableClock): Promise<AttackTarget>;
  /** Sends the n-th request, and resolves to the status of its response. */
  sender(seeded: AttackTarget, send: Send, baseUrl: string): (n: number) => Promise<number>;
}

/** The values that an attack needs, whichever process it runs in. */
export interface AttackTarget {
  readonly apiKey: string;
  readonly path: string;
}

export interface AttackRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly apiKey: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: object;
}

/** Sends the n-th request. The connections take turns. */
type Send = (n: number, request: AttackRequest) => Promise<AttackResponse>;

export interface AttackResponse {
  readonly status: number;
  readonly text: string;
}
