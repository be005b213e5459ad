import { Agent, request } from 'undici';
import type { Problem } from '@refledger/testing';
import {
  requestIdOf,
  type Intent,
  type Ledger,
  type Outcome,
  type WrittenRecord,
} from './ledger.js';

/**
 * Sends writes and records each in the ledger before and after. Never throws because of what the
 * service does or fails to do.
 */
export class Client {
  // a request that a paused service keeps waiting must get the service's answer, not a timeout
  private readonly agent = new Agent({
    connections: 64,
    headersTimeout: 300_000,
    bodyTimeout: 300_000,
    keepAliveTimeout: 4_000,
  });

  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
    private readonly ledger: Ledger,
  ) {}

  async send(intent: Intent): Promise<{ readonly n: number; readonly outcome: Outcome }> {
    const n = this.ledger.sent(intent);
    const outcome = await this.exchange(n, intent).catch(
      (error: Error & { code?: string }): Outcome => ({
        report: 'unknown',
        error: error.code ?? error.message,
      }),
    );
    this.ledger.came(n, outcome);
    return { n, outcome };
  }

  /** Sends a read, which the ledger does not record. */
  async get<T>(
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly body: T }> {
    const { status, text } = await this.getText(path, headers);
    // Decoding boundary: the black-box suites check these responses against the contract.
    return { status, body: JSON.parse(text) as T };
  }

  /** Sends a read whose response is not one JSON document. */
  async getText(
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { statusCode, body } = await request(this.baseUrl + path, {
      dispatcher: this.agent,
      headers: { ...headers, authorization: `Bearer ${this.key}` },
    });
    return { status: statusCode, text: await body.text() };
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async exchange(n: number, { method, path, body, key }: Intent): Promise<Outcome> {
    const {
      statusCode: status,
      headers,
      body: stream,
    } = await request(this.baseUrl + path, {
      dispatcher: this.agent,
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        'x-request-id': requestIdOf(n),
        ...(body && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await stream.text();
    // Decoding boundary, as in `get`.
    const response = text === '' ? null : (JSON.parse(text) as WrittenRecord | Problem);
    if (status >= 400)
      return { report: 'refused', status, code: (response as Problem | null)?.code ?? '' };
    const position = headers['refledger-position'];
    return {
      report: 'acknowledged',
      status,
      replayed: headers['idempotent-replayed'] === 'true',
      position: typeof position === 'string' ? position : null,
      record: response as WrittenRecord | null,
    };
  }
}
