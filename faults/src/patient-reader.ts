import { eventually, type Page } from '@refledger/testing';
import type { Client } from './client.js';

/**
 * Reads what the API shows once it reflects a position of the log. It repeats each read until then:
 * a read model may be behind or in the middle of a rebuild.
 */
export class PatientReader {
  private readonly headers: Readonly<Record<string, string>>;

  constructor(
    private readonly client: Client,
    position: string,
  ) {
    this.headers = { 'refledger-min-position': position };
  }

  get<T>(path: string): Promise<T> {
    return this.repeated(path, () => this.client.get<T>(path, this.headers));
  }

  /** Reads a response that is not one JSON document. */
  getText(path: string): Promise<string> {
    return this.repeated(path, async () => {
      const { status, text } = await this.client.getText(path, this.headers);
      return { status, body: text };
    });
  }

  /** Walks a list to its end, or to the first row for which `until` holds. */
  async walk<T>(path: string, until: (row: T) => boolean = () => false): Promise<T[]> {
    const found: T[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { data, next_cursor }: Page<T> = await this.get<Page<T>>(
        path + (cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`),
      );
      for (const row of data) {
        if (until(row)) return found;
        found.push(row);
      }
      cursor = next_cursor;
    }
    return found;
  }

  private repeated<T>(
    path: string,
    read: () => Promise<{ readonly status: number; readonly body: T }>,
  ): Promise<T> {
    return eventually(
      async () => {
        const { status, body } = await read();
        if (status !== 200) throw new Error(`${path} returned ${status}: ${JSON.stringify(body)}`);
        return body;
      },
      { timeoutMs: 60_000, intervalMs: 50 },
    );
  }
}
