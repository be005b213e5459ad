import type { Agent, Dispatcher } from 'undici';
import type { Cancellations } from './cancellations.js';
import { parseRetryAfter } from './retry-schedule.js';
import { SendFailure, describeError } from './send-failure.js';
import { checkTarget, type PrivateTargets, type Verdict } from './target-guard.js';

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
export type SendResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Set when a response with status 429 or 503 has a valid `Retry-After`. */
      readonly retryAfterMs?: number;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'failed';
      /** A few words for a person. Never contains parts of the URL, the headers or the body. */
      readonly error: string;
      readonly durationMs: number;
    };

/** Shared by all exchanges of a sender. */
export interface Outgoing {
  readonly agent: Agent;
  readonly cancellations: Cancellations;
  readonly now: () => number;
}

export const notSent = (error: string): SendResult => ({ kind: 'failed', error, durationMs: 0 });

/** Sends one request, and resolves to its response or its failure, which may be a timeout. */
export function exchange(
  outgoing: Outgoing,
  request: SendRequest,
  target: Target,
): Promise<SendResult> {
  if (!target.allowed) return Promise.resolve(notSent(target.reason));
  if (request.signal?.aborted) return Promise.resolve(notSent(canceled));
  const { headers, body } = request;
  const { origin, path } = target;
  return new Promise((resolve) => {
    const handler = new Exchange(outgoing, request, resolve);
    outgoing.agent.dispatch({ origin, path, method: 'POST', headers, body }, handler);
  });
}

type Outcome =
  | Pick<SendResult & { kind: 'answered' }, 'kind' | 'status'>
  | Pick<SendResult & { kind: 'failed' }, 'kind' | 'error'>;

/**
 * One request. Its first outcome is final: a request that is still running by then is aborted, even
 * if it gets its connection only later.
 */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly sending = performance.now();
  private readonly deadline: NodeJS.Timeout;
  private readonly ignoreAbort: (() => void) | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private response: { readonly status: number; readonly retryAfterMs?: number } | undefined;
  private received = 0;
  private settled = false;

  constructor(
    private readonly outgoing: Outgoing,
    { timeoutMs, signal }: SendRequest,
    private readonly resolve: (result: SendResult) => void,
  ) {
    this.deadline = setTimeout(
      () => this.giveUp(`timed out after ${timeoutMs / 1000} s`),
      timeoutMs,
    );
    this.ignoreAbort =
      signal && outgoing.cancellations.onCancel(signal, () => this.giveUp(canceled));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.settled) controller.abort(new SendFailure('the delivery was canceled'));
  }

  /** Also called for each 1xx response: the last call has the final response. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.response = { status, ...retryAfter(status, headers['retry-after'], this.outgoing.now()) };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.received += chunk.length;
    if (this.received <= maxResponseBytes || this.response === undefined) return;
    this.settle({ kind: 'answered', ...this.response });
    controller.abort(new SendFailure('response too large'));
  }

  onResponseEnd(): void {
    this.settle(
      this.response === undefined
        ? { kind: 'failed', error: 'no response' }
        : { kind: 'answered', ...this.response },
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.settle({ kind: 'failed', error: describeError(error) });
  }

  private giveUp(error: string): void {
    this.settle({ kind: 'failed', error });
    this.controller?.abort(new SendFailure(error));
  }

  private settle(outcome: Outcome): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.deadline);
    this.ignoreAbort?.();
    this.resolve({ ...outcome, durationMs: Math.round(performance.now() - this.sending) });
  }
}

const maxResponseBytes = 64 * 1024;
const canceled = 'canceled';

function retryAfter(
  status: number,
  header: string | string[] | undefined,
  now: number,
): { retryAfterMs?: number } {
  if (status !== 429 && status !== 503) return {};
  const retryAfterMs = parseRetryAfter(Array.isArray(header) ? header[0] : header, now);
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

/** The origin and path of a checked URL, or the reason why it is refused. */
export type Target =
  | { readonly allowed: true; readonly origin: string; readonly path: string }
  | Extract<Verdict, { readonly allowed: false }>;

/**
 * Parses and checks URLs, and caches the results: endpoints are few, and each gets many requests.
 * The addresses behind a host name are checked per connection.
 */
export const targetsOf = (mode: PrivateTargets): ((url: string) => Target) => {
  const known = new Map<string, Target>();
  return (url) => {
    const target = known.get(url) ?? checkedTarget(url, mode);
    if (known.size >= maxKnown) known.clear();
    known.set(url, target);
    return target;
  };
};

const maxKnown = 1_000;

const checkedTarget = (url: string, mode: PrivateTargets): Target => {
  const verdict = checkTarget(url, mode);
  if (!verdict.allowed) return verdict;
  const { origin, pathname, search } = new URL(url);
  return { allowed: true, origin, path: pathname + search };
};
