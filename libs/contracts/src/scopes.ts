import { z } from 'zod';

/** The scopes of an API key, in ascending order: each includes those before it. */
export const scopes = ['read', 'write', 'admin', 'operator'] as const;
export const scopeSchema = z
  .enum(scopes)
  .describe('The permissions of the key; each scope includes those before it.');
/** The permissions of a key; each scope includes the ones before it. */
export type Scope = z.infer<typeof scopeSchema>;

/** Whether a key with scope `held` may do what needs scope `needed`. */
export const includesScope = (held: Scope, needed: Scope): boolean =>
  scopes.indexOf(held) >= scopes.indexOf(needed);
