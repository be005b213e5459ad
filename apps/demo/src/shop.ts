import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * The shop's client for the API, with one method per HTTP method. It retries each request until it
 * is answered, which is safe because each sale has its own number.
 */
export class Shop {
  private readonly agent = new Agent({ connections: 16 });

  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Sends a request. Calls `onRetry` whenever it is retried after no answer or a 5xx. */
  post(path: string, body: object, onRetry: () => void = nobody): Promise<Answer> {
    return this.insist('POST', path, body, onRetry);
  }

  patch(path: string, body: object, onRetry: () => void = nobody): Promise<Answer> {
    return this.insist('PATCH', path, body, onRetry);
  }

  get(path: string): Promise<Answer> {
    return this.insist('GET', path, undefined, nobody);
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async insist(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body: object | undefined,
    onRetry: () => void,
  ): Promise<Answer> {
    for (;;) {
      const answer = await this.once(method, path, body).catch((error: unknown) => {
        if (this.signal.aborted) throw error;
        return undefined;
      });
      if (answer !== undefined && answer.status < 500) return answer;
      onRetry();
      await sleep(100, undefined, { signal: this.signal });
    }
  }

  private async once(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body: object | undefined,
  ): Promise<Answer> {
    const response = await request(new URL(path, this.baseUrl), {
      method,
      dispatcher: this.agent,
      signal: this.signal,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: response.statusCode, body: await response.body.json() };
  }
}

const nobody = (): void => undefined;
