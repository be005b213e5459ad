import { nonceBytes, writeNonce } from './nonces.js';

it('writes a different nonce each time, also after its pool is used up', () => {
  const nonces = Array.from({ length: 2000 }, () => {
    const target = Buffer.alloc(nonceBytes + 1);
    writeNonce(target);
    return target.toString('hex');
  });

  expect(new Set(nonces).size).toBe(2000);
  expect(nonces.every((nonce) => nonce.endsWith('00'))).toBe(true);
});
