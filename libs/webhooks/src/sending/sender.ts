import { Agent } from 'undici';
import { Cancellations } from './cancellations.js';
import { exchange, notSent, type Outgoing, type SendRequest, type SendResult } from './exchange.js';
import { guardedConnector, type Lookup } from './guarded-connector.js';
import type { PrivateTargets } from './target-guard.js';
import { targetsOf } from './targets.js';

export type { SendRequest, SendResult } from './exchange.js';

/** Sends one POST, and says what came of it; never rejects. */
export interface Sender {
  send(request: SendRequest): Promise<SendResult>;
  /** Takes no more requests, waits for those in flight (each has its deadline), and closes every connection. */
  close(): Promise<void>;
}

export interface SenderOptions {
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS. */
  readonly mode: PrivateTargets;
  /** For one connection, its name's lookup and TLS included; 10 s when left out. The request's deadline holds as well. */
  readonly connectTimeoutMs?: number;
  /** At once to one origin, further requests wait within their deadlines. No bound when left out: an endpoint that hangs then holds up no other of its origin. Who sends bounds its requests. */
  readonly connectionsPerOrigin?: number;
  /** The system's when left out. */
  readonly lookup?: Lookup;
  /** Certificates (PEM) trusted instead of the system's. */
  readonly ca?: string;
  /** Milliseconds since 1970, for a `Retry-After` that names a date. */
  readonly now?: () => number;
}

/**
 * Sends over kept-alive HTTP/1.1 connections, each made to an address that the target guard has checked. Follows no redirect.
 * An answer counts when its body has ended, or once 64 KiB of it have come: then the connection is dropped, and its status stands.
 */
export function openSender({
  mode,
  connectTimeoutMs = 10_000,
  connectionsPerOrigin,
  lookup,
  ca,
  now = Date.now,
}: SenderOptions): Sender {
  const agent = new Agent({
    connect: guardedConnector({ mode, timeoutMs: connectTimeoutMs, lookup, ca }),
    connections: connectionsPerOrigin ?? null,
    pipelining: 1,
    maxHeaderSize: 16 * 1024,
    // The deadline is ours: these end only idle time.
    headersTimeout: 0,
    bodyTimeout: 0,
    // A name that moved to another address is followed within five minutes, however busy the connection.
    keepAliveMaxTimeout: 60_000,
    clientTtl: 300_000,
  });
  const targetOf = targetsOf(mode);
  const outgoing: Outgoing = { agent, cancellations: new Cancellations(), now };
  const underway = new Set<Promise<SendResult>>();
  let closed = false;

  return {
    send(request) {
      const sending = closed
        ? Promise.resolve(notSent('the sender is closed'))
        : exchange(outgoing, request, targetOf(request.url));
      underway.add(sending);
      void sending.finally(() => underway.delete(sending));
      return sending;
    },
    async close() {
      closed = true;
      await Promise.all(underway);
      await agent.destroy();
    },
  };
}
