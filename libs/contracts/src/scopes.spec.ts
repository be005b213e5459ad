import { includesScope, scopes } from './scopes.js';

it.each(scopes.flatMap((held) => scopes.map((needed) => ({ held, needed }))))(
  '$held includes $needed or not',
  ({ held, needed }) => {
    expect(includesScope(held, needed)).toBe(
      ['read', 'write', 'admin', 'operator'].indexOf(held) >=
        ['read', 'write', 'admin', 'operator'].indexOf(needed),
    );
  },
);
