import { Health } from './health.js';

describe('health', () => {
  const part = (name: string, ready: boolean) => ({ part: name, ready, detail: '' });

  it('is ready when every expected part is ready', () => {
    const health = new Health(['a', 'b']);
    health.report(part('a', true));
    expect(health.summary()).toEqual({
      ready: false,
      parts: [part('a', true), { part: 'b', ready: false, detail: 'starting' }],
    });
    health.report(part('b', true));
    expect(health.summary().ready).toBe(true);
    health.report(part('a', false));
    expect(health.summary().ready).toBe(false);
  });

  it('is not ready while a condition of a part is not met, whatever the part reports', () => {
    const health = new Health(['a', 'b']);
    let failure: string | undefined = 'away';
    health.require('a', () => failure);
    for (const name of ['a', 'b']) health.report(part(name, true));
    expect(health.summary()).toEqual({
      ready: false,
      parts: [{ part: 'a', ready: false, detail: 'away' }, part('b', true)],
    });
    failure = undefined;
    expect(health.summary().ready).toBe(true);
  });

  it('can be awaited until it is ready, or for a limited time', async () => {
    const health = new Health(['a']);
    await health.readyWithin(1);
    const ready = health.readyWithin(1_000_000);
    health.report(part('a', false));
    health.report(part('a', true));
    await ready;
    await health.readyWithin(1_000_000);
  });
});
