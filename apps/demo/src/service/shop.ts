import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@refledger/testing';
import { Agent, request } from 'undici';

export interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
}

type Headers = Readonly<Record<string, string>>;
type Method = 'GET' | 'POST' | 'PATCH';

/** The parts of a request besides its body. */
interface SendOptions {
  /** Called before each retry, which follows a 5xx or a missing response. */
  readonly onRetry?: () => void;
  readonly idempotencyKey?: string;
}

/**
 * The shop's client for the API. It retries each request until it is answered, which is safe
 * because each sale has its own number, and a payout run its own key.
 */
export class Shop {
  private readonly agent = new Agent({ connections: 16 });
  private readonly closed = new AbortController();
  private readonly signal: AbortSignal;

  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
    interrupted: AbortSignal,
  ) {
    this.signal = AbortSignal.any([interrupted, this.closed.signal]);
    // every request in progress listens to it
    setMaxListeners(0, this.signal);
  }

  /** Sends a request until it is answered. */
  async send(
    method: Method,
    path: string,
    body?: object,
    { onRetry, idempotencyKey }: SendOptions = {},
  ): Promise<ApiResponse> {
    const headers = {
      authorization: `Bearer ${this.key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    };
    for (;;) {
      const response = await this.once(method, path, { body, headers }).catch((error: unknown) => {
        if (this.signal.aborted) throw error;
        return undefined;
      });
      if (response !== undefined && response.status < 500) return response;
      onRetry?.();
      await sleep(100, undefined, { signal: this.signal });
    }
  }

  /** Reads all records of a list, page by page. */
  async all<T>(path: string): Promise<readonly T[]> {
    const records: T[] = [];
    for (let cursor = ''; ;) {
      const { body } = await this.send('GET', `${path}?limit=50${cursor}`);
      const page = body as Page<T>;
      records.push(...page.data);
      if (page.next_cursor === null) return records;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
  }

  /** Also ends requests that would be retried. */
  close(): Promise<void> {
    this.closed.abort();
    return this.agent.destroy();
  }

  private async once(
    method: Method,
    path: string,
    { body, headers }: { readonly body?: object | undefined; readonly headers: Headers },
  ): Promise<ApiResponse> {
    const response = await request(new URL(path, this.baseUrl), {
      method,
      dispatcher: this.agent,
      signal: this.signal,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: response.statusCode, body: await response.body.json() };
  }
}
