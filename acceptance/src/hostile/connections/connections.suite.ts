/// <reference types="jest" />
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  affiliateBody,
  comparesFigures,
  eventually,
  expectStatus,
  type Service,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';

const wanted = Number(process.env['IDLE_CONNECTIONS'] ?? 10_000);
const mebibyte = 1024 * 1024;

/** Less than the time that a new connection has to send its first request. */
const soonMs = 5_000;

/** Opens connections. `closedSoon` gets those that the service closes too early. */
const open = async (
  baseUrl: string,
  count: number,
  closedSoon = new Set<Socket>(),
): Promise<readonly Socket[]> => {
  const { hostname, port } = new URL(baseUrl);
  const sockets: Socket[] = [];
  const openOne = (): Socket => {
    const begun = performance.now();
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    return socket.on('close', () => {
      if (performance.now() - begun < soonMs) closedSoon.add(socket);
    });
  };
  try {
    while (sockets.length < count) {
      const some = Array.from({ length: Math.min(200, count - sockets.length) }, openOne);
      await Promise.all(some.map((socket) => once(socket, 'connect')));
      sockets.push(...some);
    }
  } catch {
    // no descriptor or port is left on this machine: return the sockets that could be opened
  }
  return sockets;
};

/** Tests that idle connections cost little and do not keep other clients out. */
export const idleConnectionsSuite = (
  service: ServiceFactory,
  residentBytes: (service: Service) => number | undefined,
): void => {
  it(`with ${wanted} idle connections the service responds, and its memory is bounded`, async () => {
    const running = await service();
    const account = await TestAccount.open(running);
    for (let n = 0; n < 50; n++) await account.affiliate();
    const before = residentBytes(running);
    const closedSoon = new Set<Socket>();
    const idle = await open(running.baseUrl, wanted, closedSoon);
    if (idle.length < wanted)
      console.warn(
        `ONLY ${idle.length} of ${wanted} idle connections could be opened here (ulimit -n, local ports): raise the limits to test them all.`,
      );
    try {
      for (let n = 0; n < 50; n++)
        expectStatus(201, await account.api.post('/v1/affiliates', affiliateBody()));
      expectStatus(200, await account.api.get('/v1/affiliates'));
      // 16 KiB per connection, plus the growth of a busy minute
      const after = residentBytes(running);
      if (comparesFigures && before !== undefined && after !== undefined)
        expect(after - before).toBeLessThan(idle.length * 16 * 1024 + 64 * mebibyte);
      expect(closedSoon.size).toBe(0);
    } finally {
      idle.forEach((socket) => socket.destroy());
    }
    await eventually(() => account.affiliate());
  });
};

/** The means to measure and limit the service's process. */
export interface Limiting {
  readonly cpuSeconds: (service: Service) => number | undefined;
  /**
   * Limits the files and sockets that the running service may have open. Returns false where that
   * is not possible.
   */
  readonly limitDescriptors: (service: Service, limit: number) => boolean;
}

const descriptors = 200;

/**
 * Tests a service that may open only a few files and sockets: clients beyond them wait or are
 * refused, and nothing breaks.
 */
export const descriptorsSuite = (
  service: ServiceFactory,
  { cpuSeconds, limitDescriptors }: Limiting,
): void => {
  it('without free descriptors nothing acknowledged is lost, nothing spins, and the service recovers once some are free', async () => {
    const running = await service();
    const account = await TestAccount.open(running);
    const before = await account.affiliate();
    if (!limitDescriptors(running, descriptors))
      return console.warn(
        'SKIPPED: running out of descriptors is not tested, since a running process cannot be limited here (prlimit).',
      );
    const crowd = await open(running.baseUrl, descriptors * 2);
    expect(crowd.length).toBeGreaterThan(descriptors);

    // connections that were already open keep working, and the engine keeps the files that it has
    // open
    const served: string[] = [];
    for (let n = 0; n < 100; n++) {
      const response = await account.api
        .post<{ id: string }>('/v1/affiliates', affiliateBody())
        .catch(() => undefined);
      if (response?.status === 201) served.push(response.body.id);
      else expect([undefined, 503]).toContain(response?.status);
    }
    // a service that spins never rests
    await eventually(async () => {
      const busyBefore = cpuSeconds(running);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const busyAfter = cpuSeconds(running);
      if (busyBefore !== undefined && busyAfter !== undefined)
        expect(busyAfter - busyBefore).toBeLessThan(0.5);
    });

    crowd.forEach((socket) => socket.destroy());
    await eventually(
      async () => expectStatus(201, await account.api.post('/v1/affiliates', affiliateBody())),
      { timeoutMs: 20_000 },
    );
    const listed = (await account.all<{ id: string }>('/v1/affiliates')).map(({ id }) => id);
    expect(listed).toEqual(expect.arrayContaining([before.id, ...served]));
    await running.restart();
    expect((await account.all<{ id: string }>('/v1/affiliates')).map(({ id }) => id)).toEqual(
      listed,
    );
  });
};
