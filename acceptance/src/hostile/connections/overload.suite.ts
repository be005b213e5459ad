/// <reference types="jest" />
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AffiliateStats,
  comparesFigures,
  conversionBody,
  eventually,
  expectStatus,
  brokenRules,
  scaledTimeout,
  type Service,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';
import { requestStorm, type StormReport } from './request-storm.js';

/** The duration of a storm in seconds. A full run takes a minute: OVERLOAD_SECONDS=60. */
const seconds = Number(process.env['OVERLOAD_SECONDS'] ?? 3);
const mebibyte = 1024 * 1024;

/**
 * The maximum number of storms. Each doubles the rate of the one before, until some requests are
 * refused.
 */
const maxStorms = 4;

/**
 * Tests the service at twice the rate that it has just sustained. There are three connections for
 * each request that it processes at a time. `residentBytes` returns its memory, if known, which may
 * grow by at most `mayGrowBy` bytes.
 */
export const overloadSuite = (
  service: ServiceFactory,
  residentBytes: (service: Service) => number | undefined,
  mayGrowBy = 256 * mebibyte,
): void => {
  describe(`twice the sustainable rate, for ${seconds} s (for a minute: OVERLOAD_SECONDS=60)`, () => {
    it(
      'leaves responses correct and memory bounded; excess is rejected with 503 and Retry-After, and it recovers by itself',
      async () => {
        const running = await service();
        const account = await TestAccount.open(running);
        const { id } = await account.affiliate();
        const body = JSON.stringify(conversionBody(id));
        const storm = requestStorm(
          running.baseUrl,
          `POST /v1/conversions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.api.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
        const warm = await storm.blow({ seconds: 2, connections: 64 });
        const held = await storm.blow({ seconds, connections: 64 });
        const before = residentBytes(running) ?? 0;
        const watching = watch(running, residentBytes);
        // while other suites run, the service may seem to sustain less than it does a moment later
        const storms: StormReport[] = [];
        for (
          let rate = 2 * goodput(held);
          storms.length < maxStorms && storms.at(-1)?.responses.has(503) !== true;
          rate *= 2
        )
          storms.push(await storm.blow({ seconds, connections: 3_072, rate }));
        const doubled = storms.at(-1) ?? held;
        const { statuses, largest } = await watching.stop();
        storm.close();

        process.stdout.write(
          `      sustained ${Math.round(goodput(held))}/s; at twice that ${Math.round(goodput(doubled))}/s accepted, ${doubled.responses.get(503) ?? 0} refused, ${doubled.unsent} not sent for lack of a free connection; memory ${Math.round(before / mebibyte)} → ${Math.round(largest / mebibyte)} MiB\n`,
        );
        expect([...warm.responses.keys(), ...held.responses.keys()]).toEqual([201, 201]);
        expect([...doubled.responses.keys()].toSorted()).toEqual([201, 503]);
        expect(refusalFaults(doubled)).toEqual([]);
        expect(new Set(statuses)).toEqual(new Set([200]));
        if (comparesFigures) {
          expect(largest - before).toBeLessThan(mayGrowBy);
          // the service does not collapse
          expect(goodput(doubled)).toBeGreaterThan(goodput(held) * 0.1);
        }

        for (let n = 0; n < 50; n++)
          expectStatus(201, await account.api.post('/v1/conversions', conversionBody(id)));
        const accepted = [warm, held, ...storms].reduce(
          (sum, { responses }) => sum + (responses.get(201) ?? 0),
          50,
        );
        await eventually(
          async () =>
            expect(
              (await account.api.get<AffiliateStats>(`/v1/affiliates/${id}/stats`)).body.conversions
                .total,
            ).toBe(accepted),
          { timeoutMs: 30_000 },
        );
      },
      scaledTimeout(120_000 + 8_000 * seconds),
    );
  });
};

/** Watches the service, and its memory, every 50 ms. */
const watch = (service: Service, residentBytes: (service: Service) => number | undefined) => {
  const statuses: number[] = [];
  let largest = 0;
  let over = false;
  const watching = (async () => {
    while (!over) {
      statuses.push(await statusOf(`${service.baseUrl}/health/live`));
      if (service.opsUrl !== undefined) statuses.push(await statusOf(`${service.opsUrl}/metrics`));
      largest = Math.max(largest, residentBytes(service) ?? 0);
      await sleep(50);
    }
  })();
  return {
    stop: async () => {
      over = true;
      await watching;
      return { statuses, largest };
    },
  };
};

/** Reads the whole response, since a connection with an unread one would stay open. */
const statusOf = async (url: string): Promise<number> => {
  const response = await fetch(url);
  await response.text();
  return response.status;
};

const goodput = ({ responses, seconds: took }: StormReport): number =>
  (responses.get(201) ?? 0) / took;

const refusalFaults = ({ samples }: StormReport): string[] => {
  const [head = '', text = ''] = samples.get(503)?.split('\r\n\r\n') ?? [];
  const headers = new Map(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
  );
  const body = JSON.parse(text) as { readonly code?: string };
  return [
    ...brokenRules({
      method: 'POST',
      path: '/v1/conversions',
      status: 503,
      body,
      text,
      header: (name) => headers.get(name),
    }),
    ...(body.code === 'unavailable' ? [] : [`the code is ${body.code}`]),
  ];
};
