import type { HttpResponse } from './http-connection.js';
import { amountOf, requestsOf } from './requests.js';
import { Sales } from './sales.js';

const response = (status: number, body: string): HttpResponse => ({
  status,
  head: '',
  body: Buffer.from(body),
});
const plan = { origin: 'http://127.0.0.1:80', key: 'k' };

describe('requests', () => {
  it('for sales have a body of the declared length, each with a unique transaction id', () => {
    const requestOf = requestsOf({
      ...plan,
      requests: { kind: 'new conversions', affiliateIds: ['aff_1', 'aff_ü'], prefix: 'p' },
    });
    const [head = '', body = ''] = requestOf(1).text.split('\r\n\r\n');

    expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`);
    expect(JSON.parse(body)).toEqual({
      affiliate_id: 'aff_ü',
      sale_amount: amountOf(1),
      sale_currency: 'USD',
      external_transaction_id: 'p-1',
    });
    expect(requestOf(0).wrong(response(201, '{}'))).toBeUndefined();
    expect(requestOf(0).wrong(response(200, '{"replayed":true}'))).toContain('replayed');
  });

  it('for sales to customers alternately name a new one and a known one', () => {
    const sales = {
      kind: 'new conversions',
      affiliateIds: ['aff_1'],
      nameCustomers: true,
    } as const;
    const customersOf = (prefix: string) => {
      const requestOf = requestsOf({ ...plan, requests: { ...sales, prefix } });
      return Array.from(
        { length: 3_000 },
        (_, n) => requestOf(n).text.split('\r\n\r\n')[1] ?? '',
      ).map((body) => (JSON.parse(body) as { readonly customer_id: string }).customer_id);
    };
    const [first, second] = [customersOf('p'), customersOf('q')];
    const known = new Set(first.filter((_, n) => n % 2 === 1));

    expect(known.size).toBe(500);
    expect(new Set([...first, ...second]).size).toBe(3_000 + known.size);
    expect(second.filter((_, n) => n % 2 === 1).every((each) => known.has(each))).toBe(true);
  });

  it('for affiliates have another email each, and must create one', () => {
    const requestOf = requestsOf({ ...plan, requests: { kind: 'new affiliates', prefix: 'p' } });
    const [head = '', body = ''] = requestOf(1).text.split('\r\n\r\n');

    expect(head).toMatch(/^POST \/v1\/affiliates HTTP/);
    expect(JSON.parse(body)).toMatchObject({ email: 'p.1@example.com', name: 'p 1' });
    expect(requestOf(2).text).toContain('"p.2@example.com"');
    expect(requestOf(0).wrong(response(201, '{}'))).toBeUndefined();
    expect(requestOf(0).wrong(response(409, 'exists'))).toBe('409 exists');
  });

  it('for exchanges may send JSON', () => {
    const sent = '{"name":"ü"}';
    const requestOf = requestsOf({
      ...plan,
      requests: { kind: 'exchanges', targets: [{ path: '/quote', sent, body: 'b' }] },
    });
    const request = requestOf(0);
    const { text } = request;

    expect(text).toMatch(/^POST \/quote HTTP/);
    expect(text.endsWith(`content-length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`)).toBe(true);
    expect([request.wrong(response(200, 'b')), request.wrong(response(200, 'c'))]).toEqual([
      undefined,
      '/quote: 200 c',
    ]);
  });

  it('for exchanges cover every target before they repeat one, and expect exact bytes', () => {
    const targets = Array.from({ length: 10 }, (_, n) => ({ path: `/${n}`, body: `b${n}` }));
    const requestOf = requestsOf({ ...plan, requests: { kind: 'exchanges', targets } });

    const paths = Array.from({ length: 10 }, (_, n) => requestOf(n).text.split(' ')[1]);
    expect([...paths].sort()).toEqual(targets.map(({ path }) => path));
    expect(requestOf(0).wrong(response(200, 'b0'))).toBeUndefined();
    expect(requestOf(0).wrong(response(200, 'b1'))).toContain('/0');
    expect(requestOf(0).wrong(response(503, 'b0'))).toContain('503');
  });

  it('for sales are added up when they are accepted', () => {
    const sales = new Sales(['aff_1']);
    const prefixes = [sales.next(), sales.next()].map(({ prefix }) => prefix);
    sales.wereAccepted(3);
    sales.wereAccepted(1);

    expect(new Set(prefixes).size).toBe(2);
    expect(sales).toMatchObject({ count: 4, amount: amountOf(0) * 2 + amountOf(1) + amountOf(2) });
  });
});
