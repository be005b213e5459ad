import { includesScope, scopes } from './scopes.js';

it.each(scopes.flatMap((held) => scopes.map((needed) => ({ held, needed }))))(
  'whether $held includes $needed',
  ({ held, needed }) => {
    expect(includesScope(held, needed)).toBe(
      ['read', 'write', 'admin', 'operator'].indexOf(held) >=
        ['read', 'write', 'admin', 'operator'].indexOf(needed),
    );
  },
);
