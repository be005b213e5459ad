import { request } from 'undici';

/** The operator key of every service that the bench starts. */
export const apiKey = 'bench-key-of-the-first-account';

/** A service as the clients of an account see it, whatever processes it has. */
export class Api {
  constructor(
    readonly baseUrl: string,
    readonly key = apiKey,
  ) {}

  /** The service as the clients of a new account see it. */
  async newAccount(): Promise<Api> {
    const { api_key } = await this.post<{ api_key: string }>('/v1/accounts', { name: 'another' });
    return new Api(this.baseUrl, api_key);
  }

  get<T>(path: string, key = this.key): Promise<T> {
    return send<T>('GET', `${this.baseUrl}${path}`, key);
  }

  post<T>(path: string, body: object, key = this.key): Promise<T> {
    return send<T>('POST', `${this.baseUrl}${path}`, key, body);
  }

  patch<T>(path: string, body: object, key = this.key): Promise<T> {
    return send<T>('PATCH', `${this.baseUrl}${path}`, key, body);
  }

  /** Throws unless the status is 2xx. */
  async delete(path: string): Promise<void> {
    await send<undefined>('DELETE', `${this.baseUrl}${path}`, this.key);
  }

  /** The body of a response as text. Throws unless the status is 200. */
  async text(path: string): Promise<string> {
    const response = await request(`${this.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${this.key}` },
    });
    const text = await response.body.text();
    if (response.statusCode !== 200)
      throw new Error(`GET ${path} returned ${response.statusCode}: ${text}`);
    return text;
  }
}

const send = async <T>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  key: string,
  body?: object,
): Promise<T> => {
  const response = await request(url, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.body.text();
  if (response.statusCode >= 300)
    throw new Error(`${method} ${url} returned ${response.statusCode}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
};
