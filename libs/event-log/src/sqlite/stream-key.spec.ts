import { streams, type StreamName } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import { keysOfKind, streamKey } from './stream-key.js';

it('is stable across releases', () => {
  expect(streamKey('refledger.log')).toBe(70_705_050_417_200);
  expect(streamKey('refledger.conversion-conv_6wq3qykg576gcbrdk4bcjsw57g')).toBe(
    244_015_677_146_940,
  );
  expect(streamKey('refledger.Ünïcode-🌍')).toBe(67_651_716_860_969);
});

it('is an evenly distributed number of 48 bits with few collisions', () => {
  const keys = Array.from({ length: 20_000 }, (_, n) =>
    streamKey(`refledger.conversion-conv_${n}`),
  );
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) expect(Number.isSafeInteger(key) && key >= 0 && key < 2 ** 48).toBe(true);
  const parts = new Map<number, number>();
  for (const key of keys) parts.set(key % 16, (parts.get(key % 16) ?? 0) + 1);
  for (const count of parts.values()) expect(Math.abs(count - keys.length / 16)).toBeLessThan(200);
});

it('is in the range of its kind, which no two kinds share', () => {
  const names: StreamName[] = [
    streams.account('acct_1'),
    streams.keys('acct_1'),
    streams.program('acct_1', 'prog_1'),
    streams.affiliate('aff_1'),
    streams.claim('1'),
    streams.conversion('conv_1'),
    streams.webhooks('acct_1'),
    streams.processor('f'),
  ];
  const begins = names.map((name) => {
    const [from, to] = keysOfKind(name.slice(0, name.indexOf('-') + 1)) ?? [0, 0];
    expect(streamKey(name)).toBeGreaterThanOrEqual(from);
    expect(streamKey(name)).toBeLessThan(to);
    return from;
  });
  expect(new Set(begins).size).toBe(names.length);
  expect(keysOfKind(streams.allWebhooks)).toEqual(keysOfKind(present(names[6])));
});

it.each(['refledger.', 'refledger.conv', 'refledger.log'])(
  'has no range for the prefix %s, which may match several kinds',
  (prefix) => {
    expect(keysOfKind(prefix)).toBeUndefined();
  },
);
