import { request } from 'undici';

/** The operator key of every service that the bench starts. */
export const apiKey = 'bench-key-of-the-first-account';

/** A service as its clients see it, whatever processes it has. */
export class Api {
  constructor(readonly baseUrl: string) {}

  get<T>(path: string, key = apiKey): Promise<T> {
    return ask<T>('GET', `${this.baseUrl}${path}`, key);
  }

  post<T>(path: string, body: object, key = apiKey): Promise<T> {
    return ask<T>('POST', `${this.baseUrl}${path}`, key, body);
  }

  /** The body of an answer as text. Throws unless the status is 200. */
  async text(path: string): Promise<string> {
    const answer = await request(`${this.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200)
      throw new Error(`GET ${path} was answered ${answer.statusCode}: ${text}`);
    return text;
  }
}

const ask = async <T>(
  method: 'GET' | 'POST',
  url: string,
  key: string,
  body?: object,
): Promise<T> => {
  const answer = await request(url, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300)
    throw new Error(`${method} ${url} was answered ${answer.statusCode}: ${text}`);
  return JSON.parse(text) as T;
};
