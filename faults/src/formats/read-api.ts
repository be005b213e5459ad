import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, operations, type OperationId, type OperationSpec } from '@refledger/contracts';
import type { Manifest } from './manifest.js';

/** Where to read, and with which keys. */
export interface ReadApi {
  readonly baseUrl: string;
  /** The position of the log that every response must reflect. */
  readonly position: string;
  readonly manifest: ReadManifest;
  /** Whether to read only what follows from the log, without deliveries. */
  readonly isOfLog?: boolean;
}

type ReadManifest = Pick<Manifest, 'account_key' | 'operator_key' | 'month'>;

/** What the API responded, by method and path. The pages of a list are put together. */
export type Responses = Readonly<Record<string, unknown>>;

/**
 * Sends every GET of the contract: each list from its start to its end, and each operation on a record
 * for records of the list above it. A GET that a later release adds is read as well.
 */
export const readApi = async (api: ReadApi): Promise<Responses> => {
  const reader = new Reader(api);
  for (const [id, { method, path, hasPosition }] of Object.entries<OperationSpec>(operations))
    if (method === 'GET' && (hasPosition !== false || api.isOfLog !== true))
      await reader.readAll(path, variants(api.manifest)[id as OperationId] ?? ['']);
  return reader.responses;
};

/** The query parameters that an operation needs, or with which it is read in other ways, too. */
const variants = ({
  month,
}: ReadManifest): Readonly<Partial<Record<OperationId, readonly string[]>>> => ({
  listConversions: ['', 'sort=created_at'],
  listAffiliates: ['', 'q=ada', 'external_id=crm-1'],
  listEntries: ['', 'sort=position'],
  getConversionHistory: ['', 'include=record'],
  getAffiliateHistory: ['', 'include=record'],
  getBalanceStatement: [`month=${month}`, `month=${month}&format=csv`],
  getStatementSummary: [`month=${month}`],
  getWebhookStats: ['', 'period=30d'],
  getPayoutRunFile: ['format=csv', 'format=csv&currency=USD', 'format=paypal&currency=USD'],
});

/** The number of records of a list that are also read one by one. */
const readOneByOne = 25;

class Reader {
  readonly responses: Record<string, unknown> = {};

  constructor(private readonly api: ReadApi) {}

  async readAll(template: string, queries: readonly string[]): Promise<void> {
    for (const path of await this.pathsOf(template))
      for (const query of queries) await this.response(query === '' ? path : `${path}?${query}`);
  }

  /** The path with the ids of the records of the list that its parameter follows. */
  private async pathsOf(template: string): Promise<readonly string[]> {
    const at = template.lastIndexOf('/:');
    if (at < 0) return [template];
    const [, rest = ''] = /^\/:\w+(.*)$/.exec(template.slice(at)) ?? [];
    const paths: string[] = [];
    for (const list of await this.pathsOf(template.slice(0, at)))
      for (const id of idsIn(await this.response(list))) paths.push(`${list}/${id}${rest}`);
    return paths;
  }

  private async response(path: string): Promise<unknown> {
    return (this.responses[path] ??= await this.read(path));
  }

  private async read(path: string): Promise<unknown> {
    const first = await this.get(path);
    if (!isPage(first)) return first;
    const data = [...first.data];
    for (let cursor = first.next_cursor; cursor !== null;) {
      const next = await this.get(withQuery(path, `cursor=${encodeURIComponent(cursor)}`));
      if (!isPage(next)) throw new Error(`${path} ends with ${JSON.stringify(next)}`);
      data.push(...next.data);
      cursor = next.next_cursor;
    }
    return { ...first, data, has_more: false, next_cursor: null };
  }

  /** Repeats a read until the service has caught up. A refusal is a response like any other. */
  private async get(path: string): Promise<unknown> {
    const { baseUrl, manifest, position } = this.api;
    // only a key with scope `operator` may list all accounts
    const key = path.startsWith('/v1/accounts') ? manifest.operator_key : manifest.account_key;
    for (let attempt = 0; ; attempt++) {
      const response = await fetch(`${baseUrl}${path}`, {
        headers: {
          authorization: `Bearer ${key}`,
          'refledger-min-position': position,
        },
      });
      const text = await response.text();
      if (response.status !== 503 || attempt === maxAttempts) return parsed(response, text);
      await sleep(100);
    }
  }
}

const maxAttempts = 600;

const parsed = ({ status, headers }: Response, text: string): unknown => {
  const type = headers.get('content-type') ?? '';
  if (/[/+]json\b/.test(type)) {
    const body = JSON.parse(text, timeless) as unknown;
    return status === 200 ? body : { status, code: isObject(body) ? body['code'] : undefined };
  }
  if (!type.startsWith('application/x-ndjson')) return text;
  return text.split('\n').flatMap((line): unknown[] => (line === '' ? [] : [JSON.parse(line)]));
};

/**
 * Removes what depends on when it is read: the end of statistics, and the last use of a key, which is
 * in read models alone, so that a rebuild loses it.
 */
function timeless(this: unknown, name: string, value: unknown): unknown {
  const isUntilNow = name === 'until' && isObject(this) && this['object'] === 'webhook_stats';
  return isUntilNow || name === 'last_used_at' ? undefined : value;
}

interface Page {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

const isPage = (body: unknown): body is Page =>
  isObject(body) && body['object'] === 'list' && Array.isArray(body['data']);

const withQuery = (path: string, query: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}${query}`;

const idsIn = (list: unknown): readonly string[] =>
  isPage(list)
    ? list.data
        .flatMap((row) => (isObject(row) ? [String(row['id'] ?? row['affiliate_id'])] : []))
        .slice(0, readOneByOne)
    : [];
