import type { Schema } from './hostile-values.js';

/** The parts of an OpenAPI document from which requests are generated. */
export interface RequestDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}
export interface Operation {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

/** Returns every operation of a document, as method and path. */
export const operationsOf = (document: RequestDocument): (readonly [string, string])[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );
