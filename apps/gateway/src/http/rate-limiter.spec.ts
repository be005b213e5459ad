import { RateLimiter, rateLimitHeader } from './rate-limiter.js';

describe('RateLimiter', () => {
  let now = 0;
  const limiter = (limit: number): RateLimiter => new RateLimiter(limit, () => now);

  it('lets a key make its requests and no more until the minute is over', () => {
    const two = limiter(2);
    expect([two.take('a'), two.take('a'), two.take('a')].map(({ overLimit, left }) => [overLimit, left])).toEqual([[false, 1], [false, 0], [true, 0]]);
    now += 59_999;
    expect(two.take('a')).toEqual({ overLimit: true, left: 0, resetSeconds: 1 });
    now += 1;
    expect(two.take('a')).toEqual({ overLimit: false, left: 1, resetSeconds: 60 });
  });

  it('counts each key by itself', () => {
    const one = limiter(1);
    one.take('a');
    expect(one.take('b').overLimit).toBe(false);
  });

  it('says limit, rest and wait', () => {
    expect(limiter(6000).policy).toBe('"default";q=6000;w=60');
    expect(rateLimitHeader({ overLimit: false, left: 5999, resetSeconds: 60 })).toBe('"default";r=5999;t=60');
  });
});
