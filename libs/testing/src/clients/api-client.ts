import { Readable } from 'node:stream';
import { Agent, request, type Dispatcher } from 'undici';
import { brokenRules } from './response-rules.js';
import { OpenApiCheck, type OpenApiDocument } from './open-api.js';
import type { Service } from '../service.js';
import { scaledTimeout } from '../wait.js';

export interface ApiResponse<T = unknown> {
  readonly status: number;
  readonly body: T;
  readonly text: string;
  readonly header: (name: string) => string | undefined;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** The value to send as JSON. */
  readonly json?: unknown;
  /** The body to send as it is, without a content type. A generator is sent in chunks. */
  readonly body?: string | Buffer | (() => AsyncGenerator<Buffer>);
}

/**
 * An HTTP client that checks every response against the OpenAPI document and the general rules of
 * the contract. It throws when a response breaks one of them.
 */
export class ApiClient {
  private constructor(
    readonly baseUrl: string,
    readonly key: string | undefined,
    private readonly openApi: OpenApiCheck,
  ) {}

  static async connect(service: Pick<Service, 'baseUrl'>, key?: string): Promise<ApiClient> {
    return new ApiClient(service.baseUrl, key, await checkOf(service.baseUrl));
  }

  /** Returns a client of the same service with another key, or with none. */
  withKey(key: string | undefined): ApiClient {
    return new ApiClient(this.baseUrl, key, this.openApi);
  }

  get<T>(path: string, options?: RequestOptions): Promise<ApiResponse<T>> {
    return this.send('GET', path, options);
  }

  post<T>(path: string, json: unknown, options?: RequestOptions): Promise<ApiResponse<T>> {
    return this.send('POST', path, { json, ...options });
  }

  patch<T>(path: string, json: unknown, options?: RequestOptions): Promise<ApiResponse<T>> {
    return this.send('PATCH', path, { json, ...options });
  }

  delete<T>(path: string, options?: RequestOptions): Promise<ApiResponse<T>> {
    return this.send('DELETE', path, options);
  }

  async send<T>(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<ApiResponse<T>> {
    const url = urlOf(path, this.baseUrl, options.query);
    const response = await request(url, {
      dispatcher: agent,
      method,
      headers: {
        ...(this.key !== undefined && { authorization: `Bearer ${this.key}` }),
        ...(options.json !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      body: bodyOf(options),
    });
    const apiResponse = await responseOf(response);
    const { header, text } = apiResponse;
    const exchange = {
      method,
      path: url.pathname,
      contentType: header('content-type'),
      ...apiResponse,
    };
    const faults = [
      ...(isApi(url.pathname) ? this.openApi.faults(exchange) : []),
      ...brokenRules(exchange),
    ];
    if (faults.length > 0)
      throw new Error(
        `${method} ${path} breaks the contract:\n- ${faults.join('\n- ')}\n${apiResponse.status} ${JSON.stringify(response.headers)}\n${text.slice(0, 2000)}`,
      );
    // a decoding boundary: the response has just been checked against the schema of the document
    return apiResponse as ApiResponse<T>;
  }
}

const agent = new Agent({
  connections: 32,
  keepAliveTimeout: 2_000,
  headersTimeout: scaledTimeout(30_000),
});
const checks = new Map<string, Promise<OpenApiCheck>>();

const checkOf = (baseUrl: string): Promise<OpenApiCheck> => {
  const check =
    checks.get(baseUrl) ?? fetchDocument(baseUrl).then((document) => new OpenApiCheck(document));
  checks.set(baseUrl, check);
  return check;
};

const fetchDocument = async (baseUrl: string): Promise<OpenApiDocument> => {
  const response = await request(`${baseUrl}/openapi.json`, { dispatcher: agent });
  if (response.statusCode !== 200) throw new Error(`/openapi.json returned ${response.statusCode}`);
  return (await response.body.json()) as OpenApiDocument;
};

const urlOf = (path: string, baseUrl: string, query: RequestOptions['query'] = {}): URL => {
  const url = new URL(path, baseUrl);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
};

const bodyOf = ({ json, body }: RequestOptions): string | Buffer | Readable | null => {
  if (json !== undefined) return JSON.stringify(json);
  return typeof body === 'function' ? Readable.from(body()) : (body ?? null);
};

const responseOf = async ({
  statusCode,
  headers,
  body,
}: Dispatcher.ResponseData): Promise<ApiResponse> => {
  const text = await body.text();
  const header = (name: string): string | undefined => {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  return { status: statusCode, body: parsed(text, header('content-type')), text, header };
};

/** Whether the document describes the path. It does not describe pages, health checks or itself. */
const isApi = (path: string): boolean => /^\/v1(\/|$)/.test(path);

/** Parses JSON; of NDJSON, each line. */
const parsed = (text: string, contentType = ''): unknown => {
  if (text === '') return undefined;
  if (contentType.startsWith('application/x-ndjson'))
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
  return /[/+]json\b/.test(contentType) ? (JSON.parse(text) as unknown) : text;
};
