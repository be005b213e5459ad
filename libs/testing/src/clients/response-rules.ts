import type { Problem } from '../records.js';

/** A response to check, with the request's method and path. */
export interface CheckedResponse {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  readonly header: (name: string) => string | undefined;
}

const instantFields = new Set([
  'created_at',
  'updated_at',
  'approved_at',
  'completed_at',
  'posted_at',
  'started_at',
  'finished_at',
  'next_attempt_at',
  'recorded_at',
  'first_conversion_at',
  'last_conversion_at',
  'timestamp',
  'at',
]);
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Returns the ways in which a response breaks the rules that hold for every response. */
export const brokenRules = (response: CheckedResponse): string[] => [
  ...requestIdFaults(response),
  ...(response.status >= 400 ? problemFaults(response) : []),
  ...(response.path.startsWith('/v1/') ? apiFaults(response) : []),
];

const requestIdFaults = ({ header }: CheckedResponse): string[] =>
  /^[\x20-\x7e]{1,128}$/.test(header('x-request-id') ?? '')
    ? []
    : ['X-Request-Id is missing or malformed'];

/** A rule: whether it is broken, and the fault to report if it is. */
type Rule = readonly [isBroken: boolean, fault: string];

const broken = (...rules: readonly Rule[]): string[] =>
  rules.filter(([isBroken]) => isBroken).map(([, fault]) => fault);

const problemFaults = (response: CheckedResponse): string[] => [
  ...problemHeaderFaults(response),
  ...(response.method === 'HEAD'
    ? broken([response.text !== '', 'HEAD has a body'])
    : problemBodyFaults(response)),
];

const problemHeaderFaults = ({ status, header }: CheckedResponse): string[] =>
  broken(
    [
      !/^application\/problem\+json(;|$)/.test(header('content-type') ?? ''),
      'an error is not application/problem+json',
    ],
    [
      status === 401 && header('www-authenticate') !== 'Bearer',
      'a 401 has no WWW-Authenticate: Bearer',
    ],
    [
      (status === 429 || status === 503) && !/^[1-9]\d*$/.test(header('retry-after') ?? ''),
      `a ${status} has no Retry-After in seconds`,
    ],
    [status === 405 && !header('allow'), 'a 405 has no Allow'],
  );

const problemBodyFaults = ({ status, header, body, text }: CheckedResponse): string[] => {
  const problem = (body ?? {}) as Partial<Problem>;
  return broken(
    [problem.status !== status, "the problem's status differs from the response's"],
    [problem.type !== `/docs/errors#${problem.code}`, "the problem's type does not name its code"],
    [
      problem.request_id !== header('x-request-id'),
      "the problem's request_id is not the X-Request-Id",
    ],
    ...(['code', 'title', 'detail'] as const).map((field): Rule => [
      typeof problem[field] !== 'string' || problem[field] === '',
      `the problem has no ${field}`,
    ]),
    [/node_modules|\.(js|ts):\d|SQLITE|\bat \w+ \(/.test(text), 'the problem shows internals'],
  );
};

/** Deliveries, their statistics, and replays are kept apart from the log. */
const hasNoPosition = /^\/v1\/(webhooks\/[^/]+\/)?(deliveries|replays|test|stats)([/?]|$)/;

const apiFaults = (response: CheckedResponse): string[] => {
  const { path, status, header, body } = response;
  return [
    ...broken(
      [
        status < 300 &&
          !hasNoPosition.test(path) &&
          !/^\d+$/.test(header('refledger-position') ?? ''),
        'Refledger-Position is missing',
      ],
      [
        status === 201 && header('location') === undefined && isRecordWithLocation(body),
        'a 201 has no Location',
      ],
    ),
    ...rateLimitFaults(response),
    ...badInstants(body).map((field) => `${field} is not a time in UTC with milliseconds`),
  ];
};

/**
 * Checks the rate limit headers. A response given before the key is known may have one of them
 * without the other.
 */
const rateLimitFaults = ({ status, header }: CheckedResponse): string[] => {
  const early = [400, 401, 414, 431].includes(status);
  const limit = header('ratelimit');
  const policy = header('ratelimit-policy');
  return broken(
    [
      !early && (limit === undefined) !== (policy === undefined),
      'only one of RateLimit and RateLimit-Policy is present',
    ],
    [
      limit !== undefined && !/^"default";r=\d+;t=\d+$/.test(limit),
      `RateLimit is malformed: ${limit}`,
    ],
    [
      policy !== undefined && !/^"default";q=\d+;w=60$/.test(policy),
      `RateLimit-Policy is malformed: ${policy}`,
    ],
  );
};

const isRecordWithLocation = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  'object' in body &&
  ['conversion', 'affiliate', 'program', 'adjustment', 'payout'].includes(String(body.object));

const badInstants = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([field, inner]) =>
        instantFields.has(field) && inner !== null && !instant.test(String(inner))
          ? [field]
          : field === 'metadata'
            ? []
            : badInstants(inner),
      );
