import { RateLimiter, rateLimitHeader } from './rate-limiter.js';

describe('RateLimiter', () => {
  let now = 0;
  const limiter = (limit: number): RateLimiter => new RateLimiter(limit, () => now);

  it('limits a key to its requests until the minute is over', () => {
    const two = limiter(2);
    expect(
      [two.take('a'), two.take('a'), two.take('a')].map(({ overLimit, left }) => [overLimit, left]),
    ).toEqual([
      [false, 1],
      [false, 0],
      [true, 0],
    ]);
    now += 59_999;
    expect(two.take('a')).toEqual({ overLimit: true, left: 0, resetSeconds: 1 });
    now += 1;
    expect(two.take('a')).toEqual({ overLimit: false, left: 1, resetSeconds: 60 });
  });

  it('counts each key separately', () => {
    const one = limiter(1);
    one.take('a');
    expect(one.take('b').overLimit).toBe(false);
  });

  it('tells whether a key has used up its requests, without using one', () => {
    const one = limiter(1);
    expect([one.isExhausted('a'), one.isExhausted('a')]).toEqual([false, false]);
    one.take('a');
    expect([one.isExhausted('a'), one.isExhausted('b')]).toEqual([true, false]);
    now += 60_000;
    expect(one.isExhausted('a')).toBe(false);
  });

  it('forgets a key once its minute is over', () => {
    const two = limiter(2);
    for (let n = 0; n < 1_000; n++) two.take(`key ${n}`);
    now += 30_000;
    two.take('late');
    expect(two.size).toBe(1_001);
    now += 30_000;
    two.take('key 7');
    two.take('late');
    expect(two.size).toBe(2);
    expect(two.take('late')).toEqual({ overLimit: true, left: 0, resetSeconds: 30 });
  });

  it('remembers a limited number of keys, the latest ones', () => {
    const limited = new RateLimiter(1, () => now, 3);
    for (const key of ['a', 'b', 'c', 'd']) limited.take(key);
    expect([limited.size, limited.isExhausted('a'), limited.isExhausted('d')]).toEqual([
      3,
      false,
      true,
    ]);
  });

  it('reports limit, remainder and wait', () => {
    expect(limiter(6000).policy).toBe('"default";q=6000;w=60');
    expect(rateLimitHeader({ overLimit: false, left: 5999, resetSeconds: 60 })).toBe(
      '"default";r=5999;t=60',
    );
  });
});
