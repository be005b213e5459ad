import type { HttpResponse } from './http-connection.js';
import type { Exchanges, LoadPlan, NewAffiliates, NewConversions, Target } from './load-plan.js';

/** A request as it goes over the wire, and the check of its response. */
interface PreparedRequest {
  readonly text: string;
  wrong(response: HttpResponse): string | undefined;
}

/** Returns the n-th request of a plan. */
export type RequestOf = (n: number) => PreparedRequest;

export const requestsOf = ({
  origin,
  key,
  requests,
}: Pick<LoadPlan, 'origin' | 'key' | 'requests'>): RequestOf => {
  const common = headers(origin, key);
  switch (requests.kind) {
    case 'exchanges':
      return exchanges(requests, common);
    case 'new affiliates':
      return newAffiliates(requests, common);
    case 'new conversions':
      return newConversions(requests, common);
  }
};

/** The text of a GET. */
export const getRequest = (origin: string, key: string, path: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\n${headers(origin, key)}${more}\r\n`;

const headers = (origin: string, key: string): string =>
  `host: ${new URL(origin).host}\r\nauthorization: Bearer ${key}\r\n`;

/** The text of a POST of JSON. */
const postRequest = (path: string, common: string, json: string): string =>
  `POST ${path} HTTP/1.1\r\n${common}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;

const newConversions =
  (sales: NewConversions, common: string): RequestOf =>
  (n) => ({
    text: postRequest('/v1/conversions', common, JSON.stringify(saleOf(n, sales))),
    wrong: notCreated,
  });

const newAffiliates =
  ({ prefix }: NewAffiliates, common: string): RequestOf =>
  (n) => ({
    text: postRequest('/v1/affiliates', common, JSON.stringify(affiliateOf(n, prefix))),
    wrong: notCreated,
  });

const affiliateOf = (n: number, prefix: string) => ({
  program_id: 'prog_bench',
  email: `${prefix}.${n}@example.com`,
  name: `${prefix} ${n}`,
  external_id: `crm-${prefix}-${n}`,
  metadata: { source: 'bench' },
});

/** The n-th sale. Its amount follows from n, so that sums are known. */
const saleOf = (n: number, { affiliateIds, prefix, nameCustomers }: NewConversions) => ({
  affiliate_id: affiliateIds[n % affiliateIds.length],
  sale_amount: amountOf(n),
  sale_currency: 'USD',
  external_transaction_id: `${prefix}-${n}`,
  ...(nameCustomers === true && {
    customer_id: n % 2 === 0 ? `${prefix}-${n}` : `known-${n % 1_000}`,
  }),
});

/** The amount of the n-th sale, in minor units. */
export const amountOf = (n: number): number => 1_000 + (n % 997);

const notCreated = (response: HttpResponse): string | undefined =>
  response.status === 201 ? undefined : shown(response);

const exchanges = ({ targets }: Exchanges, common: string): RequestOf => {
  const prepared = targets.map(({ path, body, sent }: Target): PreparedRequest => {
    const expected = Buffer.from(body);
    return {
      text:
        sent === undefined
          ? `GET ${path} HTTP/1.1\r\n${common}\r\n`
          : postRequest(path, common, sent),
      wrong: (response) =>
        response.status === 200 && expected.equals(response.body)
          ? undefined
          : `${path}: ${shown(response)}`,
    };
  });
  return (n) => {
    const request = prepared[(n * stride) % prepared.length];
    if (request === undefined) throw new Error('there is nothing to send');
    return request;
  };
};

/**
 * A prime: stepping by it visits every target once before any target twice, and separates
 * neighbors.
 */
const stride = 7_368_787;

const shown = ({ status, body }: HttpResponse): string =>
  `${status} ${body.toString('utf8').slice(0, 500)}`;
