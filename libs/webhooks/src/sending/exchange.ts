import type { ResponseExcerpt } from '@refledger/contracts';
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Cancellations } from './cancellations.js';
import type { Connection, Connections, SentOn } from './connections.js';
import { ExcerptWriter } from './response-excerpt.js';
import { parseRetryAfter } from './retry-schedule.js';
import { SendFailure, causeOf, type FailureKind } from './send-failure.js';
import type { Target } from './targets.js';

/** A request to send, and its deadline. */
export interface SendRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent byte for byte, as UTF-8. */
  readonly body: string;
  /**
   * Deadline in milliseconds for everything: the name lookup, connecting, sending, and the whole
   * response.
   */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** The response to a request, or the reason why there was none. */
export type SendResult = AnsweredExchange | FailedExchange;

interface ExchangeResult {
  readonly durationMs: number;
  /** The IP address that was connected to; null when there was no connection. */
  readonly address: string | null;
  /** What was received of the response; null when its headers did not arrive. */
  readonly response: ResponseExcerpt | null;
}

/** The receiver responded. */
export interface AnsweredExchange extends ExchangeResult {
  readonly kind: 'answered';
  readonly status: number;
  /** Set when a response with status 429 or 503 has a valid `Retry-After`. */
  readonly retryAfterMs?: number;
  /** Why the body of a 2xx is incomplete, in a few words; its connection was ended. */
  readonly error?: string;
}

/** There was no complete response. */
export interface FailedExchange extends ExchangeResult {
  readonly kind: 'failed';
  /** `unknown`: the caller canceled the request. */
  readonly outcome: FailureKind | 'unknown';
  /** A few words for a person. Never contains parts of the URL, the headers or the body. */
  readonly error: string;
  /** The status of a response whose end did not arrive. */
  readonly status?: number;
}

/** Whether the status says that the receiver has accepted the request. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Shared by all exchanges of a sender. */
export interface Outgoing {
  readonly connections: Connections;
  readonly cancellations: Cancellations;
  readonly now: () => number;
}

/** The result of a request for which no connection was made. */
export const notSent = (outcome: FailedExchange['outcome'], error: string): FailedExchange => ({
  kind: 'failed',
  outcome,
  error,
  durationMs: 0,
  address: null,
  response: null,
});

/** Sends one request, and resolves to its response or its failure, which may be a timeout. */
export function exchange(
  outgoing: Outgoing,
  request: SendRequest,
  target: Target,
): Promise<SendResult> {
  if (!target.allowed) return Promise.resolve(notSent('target_not_allowed', target.reason));
  if (request.signal?.aborted) return Promise.resolve(notSent('unknown', canceled));
  return new Promise((resolve) => new Exchange(outgoing, { ...request, target }, resolve).send());
}

type Outcome =
  Omit<AnsweredExchange, keyof ExchangeResult> | Omit<FailedExchange, keyof ExchangeResult>;

interface CheckedRequest extends SendRequest {
  readonly target: Extract<Target, { readonly allowed: true }>;
}

/**
 * One request. Its first outcome is final: a request that is still running by then is aborted, even
 * if it gets its connection only later.
 */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly sending = performance.now();
  private readonly deadline: NodeJS.Timeout;
  private readonly ignoreAbort: (() => void) | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private connection: Connection | undefined;
  private sentOn: SentOn | undefined;
  private address: string | null = null;
  private response: { readonly status: number; readonly retryAfterMs?: number } | undefined;
  private excerpt: ExcerptWriter | undefined;
  private received = 0;
  private settled = false;

  constructor(
    private readonly outgoing: Outgoing,
    private readonly request: CheckedRequest,
    private readonly resolve: (result: SendResult) => void,
  ) {
    const { timeoutMs, signal } = request;
    this.deadline = setTimeout(
      () => this.giveUp('timeout', `timed out after ${timeoutMs / 1000} s`),
      timeoutMs,
    );
    this.ignoreAbort =
      signal && outgoing.cancellations.onCancel(signal, () => this.giveUp('unknown', canceled));
  }

  /** Sends the request on a connection of the pool, or on one that is opened for it. */
  send(use: 'pool' | 'new' = 'pool'): void {
    const { target, headers, body } = this.request;
    const { origin, path } = target;
    const onConnection = (connection: Connection) => void (this.connection = connection);
    const carried = { origin, path, method: 'POST' as const, headers, body, onConnection };
    this.outgoing.connections.dispatch(use, carried, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.sentOn = this.connection?.startRequest();
    this.address = this.connection?.address ?? null;
    if (this.settled) controller.abort(new Error('the delivery was canceled'));
  }

  /** May also be called for a 101, before the final response. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return;
    this.excerpt = new ExcerptWriter(headers);
    this.response = { status, ...retryAfter(status, headers['retry-after'], this.outgoing.now()) };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.received += chunk.length;
    this.excerpt?.add(chunk);
    if (this.received <= maxResponseBytes || this.response === undefined) return;
    this.settle({ kind: 'answered', ...this.response });
    controller.abort(new Error('the rest of the response is not read'));
  }

  onResponseEnd(): void {
    this.settle(
      this.response === undefined
        ? { kind: 'failed', outcome: 'connection', error: 'no response' }
        : { kind: 'answered', ...this.response },
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.sentOn?.wasStale() === true && !this.settled) return this.repeat();
    const { outcome, message } = causeOf(error);
    if (error instanceof SendFailure) this.address ??= error.address;
    this.fail(outcome, message);
  }

  /**
   * The receiver has most likely closed its idle connection while the request was on its way. Other
   * idle connections of the pool may have ended, too. A new connection is never stale, so the
   * request goes out twice at most.
   */
  private repeat(): void {
    this.sentOn = undefined;
    this.controller = undefined;
    this.address = null;
    this.send('new');
  }

  private giveUp(outcome: FailedExchange['outcome'], error: string): void {
    // the connection may have been made, without TLS so far
    this.address ??= this.connection?.address ?? null;
    this.fail(outcome, error);
    this.controller?.abort(new Error(error));
  }

  /** The headers of a 2xx decide: the receiver has handled the request, whatever its body does. */
  private fail(outcome: FailedExchange['outcome'], error: string): void {
    const { response } = this;
    if (response !== undefined && isSuccess(response.status))
      return this.settle({ kind: 'answered', ...response, error: `${incompleteBody}: ${error}` });
    this.settle({ kind: 'failed', outcome, error, ...(response && { status: response.status }) });
  }

  private settle(outcome: Outcome): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.deadline);
    this.ignoreAbort?.();
    this.resolve({
      ...outcome,
      durationMs: Math.round(performance.now() - this.sending),
      address: this.address,
      response: this.excerpt?.end() ?? null,
    });
  }
}

const maxResponseBytes = 64 * 1024;
const canceled = 'canceled';
const incompleteBody = 'the body of the response is incomplete';

function retryAfter(
  status: number,
  header: string | string[] | undefined,
  now: number,
): { retryAfterMs?: number } {
  if (status !== 429 && status !== 503) return {};
  const retryAfterMs = parseRetryAfter(Array.isArray(header) ? header[0] : header, now);
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}
