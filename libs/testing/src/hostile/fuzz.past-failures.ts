import type { HostileRequest } from './hostile-requests.js';

const plain = { query: [], headers: {}, body: undefined, key: 'admin' } as const;

/** What the fuzzing has found once, whole: tried again on every run. */
export const pastFailures: readonly {
  readonly operation: string;
  readonly hostile: HostileRequest;
}[] = [
  // answered 415, which no GET is documented to answer
  {
    operation: 'GET /v1/conversions',
    hostile: {
      ...plain,
      method: 'GET',
      path: '/v1/conversions',
      headers: { 'content-encoding': 'gzip' },
    },
  },
  // answered 500: the body parser asks a QUERY for a content type, before it is told that there is no such route
  {
    operation: 'GET /v1/conversions',
    hostile: { ...plain, method: 'QUERY', path: '/v1/conversions' },
  },
];
