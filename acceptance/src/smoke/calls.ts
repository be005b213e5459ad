import type { ApiClient, ApiResponse, RequestOptions } from '@refledger/testing';

/** Calls operations, and records which ones have succeeded. */
export class Calls {
  constructor(
    private readonly api: ApiClient,
    private readonly succeeded = new Set<string>(),
  ) {}

  /** The same record, with another key. */
  withApi(api: ApiClient): Calls {
    return new Calls(api, this.succeeded);
  }

  /**
   * Calls an operation such as `GET /v1/affiliates/{id}` with these ids, and resolves to the body
   * of its response, which must be a success.
   */
  async call<T>(operation: string, ids: readonly string[] = [], options?: RequestOptions) {
    const [method = '', template = ''] = operation.split(' ');
    const rest = [...ids];
    const path = template.replace(/\{[^}]+\}/g, () => rest.shift() ?? '');
    const response: ApiResponse<T> = await this.api.send<T>(method, path, options);
    if (response.status >= 300)
      throw new Error(`${method} ${path} returned ${response.status}: ${response.text}`);
    this.succeeded.add(operation);
    return response.body;
  }

  /** The operations under /v1 of the service's OpenAPI document that have not succeeded. */
  async missing(): Promise<string[]> {
    const { body } = await this.api.get<{ paths: Record<string, object> }>('/openapi.json');
    return Object.entries(body.paths)
      .filter(([path]) => path.startsWith('/v1/'))
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      )
      .filter((operation) => !this.succeeded.has(operation));
  }
}
