import { Agent, type Dispatcher } from 'undici';
import { Cancellations } from './cancellations.js';
import { guardedConnector, type Lookup } from './guarded-connector.js';
import { parseRetryAfter } from './retry-schedule.js';
import { SendFailure, words } from './send-failure.js';
import type { PrivateTargets } from './target-guard.js';
import { targetsOf, type Target } from './targets.js';

export interface SendRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent byte for byte, as UTF-8. */
  readonly body: string;
  /** For all of it: finding the address, connecting, sending, and the whole answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export type SendResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** With 429 and 503 that name it. */ readonly retryAfterMs?: number;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'failed';
      /** A few words for a person; never of the URL, the headers or the body. */ readonly error: string;
      readonly durationMs: number;
    };

/** Sends one POST, and says what came of it; never rejects. */
export interface Sender {
  send(request: SendRequest): Promise<SendResult>;
  /** Takes no more requests, waits for those under way (each has its deadline), and closes every connection. */
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

const largestAnswer = 64 * 1024;

const notSent = (error: string): SendResult => ({ kind: 'failed', error, durationMs: 0 });

/** What all exchanges of a sender share. */
interface Outgoing {
  readonly agent: Agent;
  readonly cancellations: Cancellations;
  readonly now: () => number;
}

function exchange(
  { agent, cancellations, now }: Outgoing,
  { headers, body, timeoutMs, signal }: SendRequest,
  target: Target,
): Promise<SendResult> {
  if (!target.allowed) return Promise.resolve(notSent(target.reason));
  if (signal?.aborted) return Promise.resolve(notSent(cancelled));
  const { origin, path } = target;
  const started = performance.now();

  return new Promise((resolve) => {
    let exchanging: Dispatcher.DispatchController | undefined;
    let answer: { readonly status: number; readonly retryAfterMs?: number } | undefined;
    let received = 0;
    let settled = false;

    /** The first outcome stands. What still runs is cut off, also when it gets its connection only later. */
    const settle = (
      outcome:
        | Pick<SendResult & { kind: 'answered' }, 'kind' | 'status'>
        | Pick<SendResult & { kind: 'failed' }, 'kind' | 'error'>,
    ): void => {
      if (settled) return;
      settled = true;
      clearTimeout(deadline);
      ignoreAbort?.();
      resolve({ ...outcome, durationMs: Math.round(performance.now() - started) });
    };
    const giveUp = (error: string): void => {
      settle({ kind: 'failed', error });
      exchanging?.abort(new SendFailure(error));
    };
    const cancel = (): void => giveUp(cancelled);
    const deadline = setTimeout(() => giveUp(`timed out after ${timeoutMs / 1000} s`), timeoutMs);
    const ignoreAbort = signal && cancellations.hear(signal, cancel);

    agent.dispatch(
      { origin, path, method: 'POST', headers, body },
      {
        onRequestStart(controller) {
          exchanging = controller;
          if (settled) controller.abort(new SendFailure('no longer wanted'));
        },
        onResponseStart(_controller, status, answerHeaders) {
          // Comes for each 1xx too: the last one is the answer.
          answer = { status, ...retryAfter(status, answerHeaders['retry-after'], now()) };
        },
        onResponseData(controller, chunk) {
          received += chunk.length;
          if (received <= largestAnswer || answer === undefined) return;
          settle({ kind: 'answered', ...answer });
          controller.abort(new SendFailure('answer too large'));
        },
        onResponseEnd() {
          settle(
            answer === undefined
              ? { kind: 'failed', error: 'no answer' }
              : { kind: 'answered', ...answer },
          );
        },
        onResponseError(_controller, error) {
          settle({ kind: 'failed', error: words(error) });
        },
      },
    );
  });
}

const cancelled = 'cancelled';

function retryAfter(
  status: number,
  header: string | string[] | undefined,
  now: number,
): { retryAfterMs?: number } {
  if (status !== 429 && status !== 503) return {};
  const retryAfterMs = parseRetryAfter(Array.isArray(header) ? header[0] : header, now);
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}
