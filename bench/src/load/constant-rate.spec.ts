import { VirtualClock } from '../../test/virtual-clock.js';
import { runAtConstantRate } from './constant-rate.js';

/**
 * The latencies of requests to a server that responds immediately, except during a stall, when it
 * answers nothing.
 */
const latenciesOver = async (
  stall: { readonly from: number; readonly until: number },
  lanes: number,
) => {
  const clock = new VirtualClock();
  const latencies: number[] = [];
  const running = runAtConstantRate({
    perSecond: 100,
    count: 300,
    lanes: Array.from({ length: lanes }, () => ({})),
    clock,
    send: async (_lane, n, intended) => {
      if (clock.now() >= stall.from && clock.now() < stall.until)
        await clock.sleepUntil(stall.until);
      latencies[n] = clock.now() - intended;
    },
  });
  await clock.runUntil(running);
  return latencies;
};

describe('a constant rate', () => {
  it('sends every request when it is due', async () => {
    expect(await latenciesOver({ from: 0, until: 0 }, 4)).toEqual(
      Array.from({ length: 300 }, () => 0),
    );
  });

  it.each([1, 2, 64])(
    'shows a stall of one second in the latency of every request due meanwhile, with %i connections',
    async (lanes) => {
      const latencies = await latenciesOver({ from: 1_000, until: 2_000 }, lanes);

      // due at 1000, 1010, … 1990: each waited for the end of the stall, even those without a
      // free connection
      expect(latencies.slice(100, 200)).toEqual(
        Array.from({ length: 100 }, (_, n) => 1_000 - n * 10),
      );
      expect(latencies.filter((latency) => latency > 0)).toHaveLength(100);
    },
  );

  it('alternates between its connections, so that none is idle for long', async () => {
    const clock = new VirtualClock();
    const used: string[] = [];
    await clock.runUntil(
      runAtConstantRate({
        perSecond: 10,
        count: 5,
        lanes: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
        clock,
        send: ({ name }) => Promise.resolve(void used.push(name)),
      }),
    );
    expect(used).toEqual(['a', 'b', 'c', 'a', 'b']);
  });

  it('fails when a request fails', async () => {
    const clock = new VirtualClock();
    const running = runAtConstantRate({
      perSecond: 10,
      count: 3,
      lanes: [{}],
      clock,
      send: (_lane, n) => (n === 1 ? Promise.reject(new Error('cut')) : Promise.resolve()),
    });
    await expect(clock.runUntil(running)).rejects.toThrow('cut');
  });
});
