/** Returns the keys of a declaration, in its order. */
export const keysOf = <S extends object>(declared: S): readonly (keyof S & string)[] =>
  // the compiler cannot tell that a declaration has no further keys
  Object.keys(declared) as (keyof S & string)[];
