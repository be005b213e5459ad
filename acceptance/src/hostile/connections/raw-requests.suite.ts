/// <reference types="jest" />
import {
  type Affiliate,
  affiliateBody,
  conversionBody,
  eventually,
  type Service,
  type ServiceFactory,
  TestAccount,
  uniqueEmail,
} from '@refledger/testing';
import { RawConnection } from '../../raw-connection.js';

/**
 * Tests requests that no proper client sends: a proxy and the service behind it must not parse them
 * differently, and a refused request changes nothing.
 */
export const rawRequestsSuite = (service: ServiceFactory): void => {
  describe('raw requests', () => {
    let running: Service;
    let account: TestAccount;
    let affiliate: Affiliate;
    let stored: number;
    beforeAll(async () => {
      running = await service();
      account = await TestAccount.open(running);
      affiliate = await account.affiliate();
    });
    beforeEach(async () => void (stored = (await account.all('/v1/affiliates')).length));

    const head = (line: string, ...headers: readonly string[]): string =>
      [
        line,
        'Host: x',
        `Authorization: Bearer ${account.api.key}`,
        'Content-Type: application/json',
        ...headers,
        '',
        '',
      ].join('\r\n');
    const hidden = (): string => {
      const body = JSON.stringify(affiliateBody({ email: uniqueEmail() }));
      return head('POST /v1/affiliates HTTP/1.1', `Content-Length: ${body.length}`) + body;
    };
    const exchange = async (bytes: string): Promise<RawConnection> => {
      const connection = await RawConnection.open(running.baseUrl);
      connection.write(bytes);
      await connection.finish();
      return connection;
    };

    it.each([
      ['two lengths that differ', ['Content-Length: 0', 'Content-Length: 400'], ''],
      ['two lengths that agree', ['Content-Length: 2', 'Content-Length: 2'], '{}'],
      ['a list of lengths', ['Content-Length: 2, 2'], '{}'],
      ['a length and chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
      ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 5'], '0\r\n\r\n'],
      ['an unknown transfer encoding', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
      [
        'a chunked encoding that is not the last one',
        ['Transfer-Encoding: chunked, identity'],
        '0\r\n\r\n',
      ],
      ['chunked twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], '0\r\n\r\n'],
      ['a space before the colon', ['Transfer-Encoding : chunked'], '0\r\n\r\n'],
      ['a folded header', ['Transfer-Encoding:\r\n chunked'], '0\r\n\r\n'],
      ['a bare line feed', ['X: a\nTransfer-Encoding: chunked'], '0\r\n\r\n'],
      ['a bare carriage return', ['X: a\rTransfer-Encoding: chunked'], '0\r\n\r\n'],
      ['a NUL in a header', ['X: a\0b'], ''],
      ['a length with a sign', ['Content-Length: +2'], '{}'],
      ['a negative length', ['Content-Length: -2'], '{}'],
      ['a length in hexadecimal', ['Content-Length: 0x2'], '{}'],
      ['a length too large for any integer', ['Content-Length: 99999999999999999999999'], '{}'],
      [
        'a chunk size too large for any integer',
        ['Transfer-Encoding: chunked'],
        'fffffffffffffffff\r\n{}\r\n0\r\n\r\n',
      ],
      ['a chunk size with a sign', ['Transfer-Encoding: chunked'], '-2\r\n{}\r\n0\r\n\r\n'],
      ['a chunk size with a prefix', ['Transfer-Encoding: chunked'], '0x2\r\n{}\r\n0\r\n\r\n'],
      [
        'a chunk that is longer than it says',
        ['Transfer-Encoding: chunked'],
        '1\r\n{}\r\n0\r\n\r\n',
      ],
      [
        'a chunk extension without an end',
        ['Transfer-Encoding: chunked'],
        `2;${'x'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`,
      ],
    ])(
      '%s: 400, the connection is closed, and nothing that follows is executed',
      async (_name, headers, body) => {
        const { statuses, received } = await exchange(
          head('POST /v1/affiliates HTTP/1.1', ...headers) + body + hidden(),
        );
        expect([statuses, received.match(/"code":"\w+"/g)]).toEqual([
          [400],
          ['"code":"bad_request"'],
        ]);
        expect(await account.all('/v1/affiliates')).toHaveLength(stored);
      },
    );

    it('the name of another host, in the URL or twice in the headers, changes nothing', async () => {
      const path = `/v1/affiliates/${affiliate.id}`;
      expect((await exchange(head(`GET http://other.example${path} HTTP/1.1`))).received).toContain(
        affiliate.email,
      );
      expect(
        (await exchange(head(`GET ${path} HTTP/1.1`, 'Host: other.example'))).statuses,
      ).toHaveLength(1);
    });

    it.each([
      ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['only line endings, then garbage', '\r\n\r\n\r\nx\r\n\r\n'],
    ])('%s: 400', async (_name, bytes) => {
      expect((await exchange(bytes)).statuses).toEqual([400]);
    });

    it('protocol upgrades are ignored, and an Expect header gets a well-formed error', async () => {
      const path = `/v1/affiliates/${affiliate.id}`;
      for (const headers of [
        ['Connection: Upgrade', 'Upgrade: h2c'],
        ['Connection: Upgrade', 'Upgrade: websocket'],
        ['Expect: the-unexpected'],
      ]) {
        const connection = await RawConnection.open(running.baseUrl);
        connection.write(head(`GET ${path} HTTP/1.1`, ...headers));
        await eventually(() => expect(connection.statuses).toEqual([200]));
        connection.drop();
      }
    });

    it('CONNECT is rejected, and the service continues', async () => {
      const connection = await exchange(head('CONNECT other.example:80 HTTP/1.1'));
      expect(connection.statuses.filter((status) => status < 400)).toEqual([]);
      expect((await account.api.get('/v1/account')).status).toBe(200);
    });

    it('a complete request before garbage is answered first', async () => {
      const sale = JSON.stringify(conversionBody(affiliate.id));
      const before = (await account.all('/v1/conversions')).length;
      const connection = await RawConnection.open(running.baseUrl);
      connection.write(
        `${head('POST /v1/conversions HTTP/1.1', `Content-Length: ${sale.length}`)}${sale}NONSENSE\r\n\r\n`,
      );
      await connection.closed();
      expect(connection.statuses).toEqual([201]);
      expect(await account.all('/v1/conversions')).toHaveLength(before + 1);
    });

    it('a hundred pipelined requests are answered in order, each once', async () => {
      const connection = await RawConnection.open(running.baseUrl);
      const sale = JSON.stringify(conversionBody(affiliate.id));
      const ids = Array.from({ length: 100 }, (_, n) => `nr-${n}`);
      connection.write(
        ids
          .map((id, n) =>
            n % 2 === 0
              ? head(
                  'POST /v1/conversions HTTP/1.1',
                  `X-Request-Id: ${id}`,
                  `Content-Length: ${sale.length}`,
                ) + sale
              : head('GET /v1/account HTTP/1.1', `X-Request-Id: ${id}`),
          )
          .join(''),
      );
      await eventually(() => expect(connection.statuses).toHaveLength(ids.length), {
        timeoutMs: 20_000,
      });
      expect(
        [...connection.received.matchAll(/x-request-id: (\S+)/gi)].map(([, id]) => id),
      ).toEqual(ids);
      expect(new Set(connection.statuses)).toEqual(new Set([201, 200]));
      connection.drop();
    });

    it('a partial request stores nothing and disturbs no other client', async () => {
      const whole = hidden();
      for (let at = 10; at < whole.length; at += 37) {
        const connection = await RawConnection.open(running.baseUrl);
        connection.write(whole.slice(0, at));
        if (at % 2 === 0) connection.drop();
        else await connection.finish();
      }
      expect(await account.all('/v1/affiliates')).toHaveLength(stored);
    });

    it('a request is bounded in every dimension: the URL, one header, all headers, their number, the body, its chunks', async () => {
      const long = 'x'.repeat(200_000);
      const chunks = Array.from({ length: 80_000 }, () => '1\r\nx\r\n').join('');
      const cases: readonly (readonly [string, number])[] = [
        [head(`GET /${long} HTTP/1.1`), 414],
        [head('GET /v1/account HTTP/1.1', `${long}: x`), 431],
        [
          head(
            'GET /v1/account HTTP/1.1',
            ...Array.from({ length: 5_000 }, (_, n) => `X-${n}: ${n}`),
          ),
          431,
        ],
        [head('POST /v1/affiliates HTTP/1.1', 'Content-Length: 1000000000'), 413],
        [
          `${head('POST /v1/affiliates HTTP/1.1', 'Transfer-Encoding: chunked')}30d40\r\n${long}\r\n`,
          413,
        ],
        [head('POST /v1/affiliates HTTP/1.1', 'Transfer-Encoding: chunked') + chunks, 413],
        [`X${long}`, 400],
      ];
      for (const [bytes, status] of cases) {
        const connection = await RawConnection.open(running.baseUrl);
        connection.write(bytes);
        await eventually(() => expect(connection.statuses).toEqual([status]));
        connection.drop();
      }
      expect(await account.all('/v1/affiliates')).toHaveLength(stored);
    });
  });
};
