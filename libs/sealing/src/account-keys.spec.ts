import { randomBytes } from 'node:crypto';
import { newId } from '@refledger/contracts';
import fc from 'fast-check';
import { newWrappedAccountKeys, openAccountKeys, type HashLabel } from './account-keys.js';
import { SealedUnreadable } from './sealed-unreadable.js';
import { openSecretBox } from './secret-box.js';

const labels: readonly HashLabel[] = ['email', 'external_id', 'q'];
const box = openSecretBox([randomBytes(32)]);
const [ours, theirs] = [newId('account'), newId('account')];
const wrapped = newWrappedAccountKeys(box, ours);
const keys = openAccountKeys(box, ours, wrapped);
const otherKeys = openAccountKeys(box, theirs, newWrappedAccountKeys(box, theirs));

describe("an account's keys", () => {
  it('hash the same parts to the same value, each time the keys are opened', () => {
    const again = openAccountKeys(box, ours, wrapped);

    expect(again.hash('email', 'prog_1', 'ada@example.com')).toBe(
      keys.hash('email', 'prog_1', 'ada@example.com'),
    );
    expect(keys.hash('q', 'ada')).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  it('law: hash the same parts differently under each label, and for each account', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (parts) => {
        const hashes = [keys, otherKeys].flatMap((opened) =>
          labels.map((label) => opened.hash(label, ...parts)),
        );

        expect(new Set(hashes).size).toBe(hashes.length);
      }),
    );
  });

  it('law: hash different parts differently, even if they are equal when joined', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (a, b) => {
        expect(keys.hash('email', a + b)).not.toBe(keys.hash('email', a, b));
        expect(keys.hash('email', a + b, '')).not.toBe(keys.hash('email', a, b));
      }),
    );
  });

  it('law: open the excerpts that they sealed, and no other account does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const sealed = keys.seal('excerpt', text);

        expect(openAccountKeys(box, ours, wrapped).open('excerpt', sealed)).toBe(text);
        expect(() => otherKeys.open('excerpt', sealed)).toThrow(SealedUnreadable);
      }),
    );
  });

  it('open only for their account', () => {
    expect(() => openAccountKeys(box, theirs, wrapped)).toThrow(
      `a wrapped key cannot be opened: it was truncated or altered after it was sealed, or it is not of ${theirs}`,
    );
  });

  it('hash with another key than they seal with', () => {
    const both = Buffer.concat([Buffer.alloc(32, 1), Buffer.alloc(32, 2)]);
    const open = (bytes: Buffer) => openAccountKeys({ unwrap: () => bytes }, ours, '');
    const sealing = open(Buffer.concat([Buffer.alloc(32, 3), Buffer.alloc(32, 2)]));

    expect(sealing.open('excerpt', open(both).seal('excerpt', 'OK'))).toBe('OK');
    expect(sealing.hash('q', 'ada')).not.toBe(open(both).hash('q', 'ada'));
  });
});
