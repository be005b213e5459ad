import { Cancellations } from './cancellations.js';
import { openConnections } from './connections.js';
import { exchange, notSent } from './exchange.js';
import type { Outgoing, SendRequest, SendResult } from './exchange.js';
import { guardedConnector, type Lookup } from './guarded-connector.js';
import type { PrivateTargets } from '@refledger/webhook-endpoints';
import { targetsOf } from './targets.js';

export type { SendRequest, SendResult } from './exchange.js';

/** Sends POST requests and resolves to their results. `send` never rejects. */
export interface Sender {
  send(request: SendRequest): Promise<SendResult>;
  /**
   * Takes no more requests, waits for those in flight (each has its deadline), and closes all
   * connections.
   */
  close(): Promise<void>;
}

export interface SenderOptions {
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS. */
  readonly mode: PrivateTargets;
  /**
   * Deadline in milliseconds for one connection, including the name lookup and TLS; default 10 s.
   * The deadline of the request applies as well.
   */
  readonly connectTimeoutMs?: number;
  /**
   * Maximum connections per origin; further requests wait within their deadlines. Unlimited by
   * default, so that a hanging endpoint does not delay others at its origin: the caller then limits
   * its requests.
   */
  readonly connectionsPerOrigin?: number;
  /** Default: the lookup of the system. */
  readonly lookup?: Lookup;
  /** CA certificates (PEM) to trust instead of the system's. */
  readonly ca?: string;
  /** The current time in milliseconds since 1970, for a `Retry-After` with a date. */
  readonly now?: () => number;
}

/**
 * Opens a sender that uses kept-alive HTTP/1.1 connections, each to an address that the target
 * guard has checked. A request goes out once more, on a new connection, if a reused one ends before
 * any byte of a response. The sender follows no redirects. A response counts once its body has ended
 * or exceeds 64 KiB; in the latter case the connection is dropped and the status still counts. A 2xx
 * counts even if its body fails or does not end within the deadline, which also drops the connection.
 */
export function openSender({
  mode,
  connectTimeoutMs = 10_000,
  connectionsPerOrigin,
  lookup,
  ca,
  now = Date.now,
}: SenderOptions): Sender {
  const connections = openConnections({
    connect: guardedConnector({ mode, timeoutMs: connectTimeoutMs, lookup, ca }),
    connectionsPerOrigin: connectionsPerOrigin ?? null,
  });
  const targetOf = targetsOf(mode);
  const outgoing: Outgoing = { connections, cancellations: new Cancellations(), now };
  const inProgress = new Set<Promise<SendResult>>();
  let closed = false;

  return {
    send(request) {
      const sending = closed
        ? Promise.resolve(notSent('connection', 'the sender is closed'))
        : exchange(outgoing, request, targetOf(request.url));
      inProgress.add(sending);
      void sending.finally(() => inProgress.delete(sending));
      return sending;
    },
    async close() {
      closed = true;
      await Promise.all(inProgress);
      await connections.destroy();
    },
  };
}
