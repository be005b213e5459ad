import type { Problem } from './records.js';

export interface JudgedAnswer {
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
  'first_conversion_at',
  'last_conversion_at',
  'timestamp',
]);
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What an answer breaks of the rules that hold for every one. */
export const ruleFaults = (answer: JudgedAnswer): string[] => [
  ...requestIdFaults(answer),
  ...(answer.status >= 400 ? problemFaults(answer) : []),
  ...(answer.path.startsWith('/v1/') ? apiFaults(answer) : []),
];

const requestIdFaults = ({ header }: JudgedAnswer): string[] =>
  /^[\x20-\x7e]{1,128}$/.test(header('x-request-id') ?? '')
    ? []
    : ['X-Request-Id is missing or malformed'];

const problemFaults = (answer: JudgedAnswer): string[] => {
  const faults: string[] = [];
  if (!/^application\/problem\+json(;|$)/.test(answer.header('content-type') ?? ''))
    faults.push('an error is not application/problem+json');
  if (answer.status === 401 && answer.header('www-authenticate') !== 'Bearer')
    faults.push('a 401 has no WWW-Authenticate: Bearer');
  if (
    (answer.status === 429 || answer.status === 503) &&
    !/^[1-9]\d*$/.test(answer.header('retry-after') ?? '')
  )
    faults.push(`a ${answer.status} has no Retry-After in seconds`);
  if (answer.status === 405 && !answer.header('allow')) faults.push('a 405 has no Allow');
  if (answer.method === 'HEAD') return answer.text === '' ? faults : [...faults, 'HEAD has a body'];
  const problem = answer.body as Partial<Problem> | undefined;
  if (problem?.status !== answer.status) faults.push("the problem's status is not the answer's");
  if (problem?.type !== `/docs/errors#${problem?.code}`)
    faults.push("the problem's type does not name its code");
  if (problem?.request_id !== answer.header('x-request-id'))
    faults.push("the problem's request_id is not the X-Request-Id");
  for (const field of ['code', 'title', 'detail'] as const)
    if (typeof problem?.[field] !== 'string' || problem[field] === '')
      faults.push(`the problem has no ${field}`);
  if (/node_modules|\.(js|ts):\d|SQLITE|\bat \w+ \(/.test(answer.text))
    faults.push('the problem shows internals');
  return faults;
};

const apiFaults = ({ status, header, body }: JudgedAnswer): string[] => {
  const faults: string[] = [];
  if (status < 300 && !/^\d+$/.test(header('refledger-position') ?? ''))
    faults.push('Refledger-Position is missing');
  if (status === 201 && header('location') === undefined && isRecordWithLocation(body))
    faults.push('a 201 has no Location');
  const early = [400, 401, 414, 431].includes(status);
  const limit = header('ratelimit');
  const policy = header('ratelimit-policy');
  if (!early && (limit === undefined) !== (policy === undefined))
    faults.push('only one of RateLimit and RateLimit-Policy is there');
  if (limit !== undefined && !/^"default";r=\d+;t=\d+$/.test(limit))
    faults.push(`RateLimit is malformed: ${limit}`);
  if (policy !== undefined && !/^"default";q=\d+;w=60$/.test(policy))
    faults.push(`RateLimit-Policy is malformed: ${policy}`);
  return [
    ...faults,
    ...badInstants(body).map((field) => `${field} is not a time in UTC with milliseconds`),
  ];
};

const isRecordWithLocation = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  'object' in body &&
  (body.object === 'conversion' || body.object === 'affiliate');

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
