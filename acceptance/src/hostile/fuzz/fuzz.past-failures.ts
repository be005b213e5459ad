import type { HostileRequest } from './hostile-requests.js';

const plain = { query: [], headers: {}, body: undefined, key: 'admin' } as const;

/** The complete requests with which the fuzz suite has found bugs. Every run repeats them. */
export const pastFailures: readonly {
  readonly operation: string;
  readonly hostile: HostileRequest;
}[] = [
  // was rejected with 415, a status that no GET documents
  {
    operation: 'GET /v1/conversions',
    hostile: {
      ...plain,
      method: 'GET',
      path: '/v1/conversions',
      headers: { 'content-encoding': 'gzip' },
    },
  },
  // returned 500: the body parser requires a content type on a QUERY request before the router
  // answers that there is no such route
  {
    operation: 'GET /v1/conversions',
    hostile: { ...plain, method: 'QUERY', path: '/v1/conversions' },
  },
];
