import type { FactoryProvider, ValueProvider } from '@nestjs/common';

/** A symbol that carries the type of what is provided as it, in a field that it only seems to have. */
export type NamedToken<T> = symbol & { readonly provided: T };

/** An injection token: a class, or the named token of an interface. */
export type Token<T> = (abstract new (...parts: never) => T) | NamedToken<T>;

/** Creates the injection token of an interface. */
export const token = <T>(name: string): NamedToken<T> => Symbol(name) as NamedToken<T>;

/** One token for each part. */
type TokensOf<Parts> = { readonly [Name in keyof Parts]: Token<Parts[Name]> };

/**
 * Provides a class of which Nest cannot read the constructor, because it has no decorators. `inject`
 * lists the tokens of the constructor's parameters.
 */
export const provide = <T, Parameters extends readonly unknown[]>(
  Class: new (...parameters: Parameters) => T,
  inject: TokensOf<Parameters>,
): FactoryProvider<T> => ({
  provide: Class,
  useFactory: (...parameters: unknown[]) => new Class(...(parameters as never)),
  inject: inject as readonly Token<unknown>[] as FactoryProvider['inject'] & object,
});

/** Provides a class whose constructor takes an object of parts. */
export const provideFrom = <T, Parts extends object>(
  Class: new (parts: Parts) => T,
  inject: TokensOf<Parts>,
): FactoryProvider<T> => provideBy(Class, inject, (parts) => new Class(parts));

/** Provides what a function makes of parts. */
export const provideBy = <T, Parts extends object>(
  as: Token<T>,
  inject: TokensOf<Parts>,
  make: (parts: Parts) => T | Promise<T>,
): FactoryProvider<T> => {
  const names = Object.keys(inject);
  return {
    provide: as,
    useFactory: (...values: unknown[]) =>
      make(Object.fromEntries(names.map((name, index) => [name, values[index]])) as Parts),
    inject: Object.values<Token<unknown>>(inject),
  };
};

/** Provides a value that exists before the application. */
export const provideValue = <T>(as: Token<T>, value: T): ValueProvider<T> => ({
  provide: as,
  useValue: value,
});
