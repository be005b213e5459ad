import { z } from 'zod';

/** What a key may do; each scope includes those before it. */
export const scopes = ['read', 'write', 'admin', 'operator'] as const;
export const scopeSchema = z.enum(scopes);
export type Scope = z.infer<typeof scopeSchema>;

export const includesScope = (held: Scope, needed: Scope): boolean =>
  scopes.indexOf(held) >= scopes.indexOf(needed);
