import { z } from 'zod';

/**
 * Returns the schema of a patch that has no `reason`: it needs at least one field, and accepts
 * `field` only together with this status.
 */
export const patchWithFieldFor = <Shape extends z.ZodRawShape>(
  { field, status }: { readonly field: keyof Shape & string; readonly status: string },
  shape: Shape,
  id: string,
) =>
  notEmpty(shape)
    .refine((patch) => !(field in patch) || isTo(status, patch), {
      error: `is accepted only together with status ${status}`,
      path: [field],
      params: { code: 'without_status' },
      when: ({ value }) => typeof value === 'object' && value !== null,
    })
    .meta({
      id,
      minProperties: 1,
      if: { required: [field] },
      then: { properties: { status: { const: status } }, required: ['status'] },
    });

/**
 * Returns the schema of a patch: it needs at least one field, and accepts `reason` only together
 * with `status`.
 */
export const patchOf = <Shape extends z.ZodRawShape>(shape: Shape, id: string) =>
  reasonedPatch(shape, withStatus).meta({ id, ...withStatusJson });

/** Like `patchOf`, but accepts `reason` together with any other field. */
export const patchWithReasonOf = <Shape extends z.ZodRawShape>(shape: Shape, id: string) =>
  reasonedPatch(shape, {
    isReasoned: (patch) => Object.keys(patch).length > 1,
    error: 'is accepted only together with a change',
    code: 'without_change',
  }).meta({
    id,
    minProperties: 1,
    dependentSchemas: { reason: { type: 'object', minProperties: 2 } },
  });

/**
 * Like `patchOf`, but accepts `reason` together with any of these fields. It refuses the first of
 * `exclusive` together with the second.
 */
export const patchWithReasonFor = <Shape extends z.ZodRawShape>(
  fields: readonly (keyof Shape & string)[],
  shape: Shape,
  id: string,
  [first, second]: readonly [keyof Shape & string, keyof Shape & string],
) =>
  reasonedPatch(shape, {
    isReasoned: (patch) => fields.some((field) => field in patch),
    error: `is accepted only together with ${fields.slice(0, -1).join(', ')} or ${fields.at(-1)}`,
    code: 'without_change',
  })
    .refine((patch) => !(first in patch && second in patch), {
      error: `is not accepted together with ${second}. Leave one of the two out`,
      path: [first],
      params: { code: `with_${second}` },
      when: ({ value }) => typeof value === 'object' && value !== null,
    })
    .meta({
      id,
      minProperties: 1,
      not: { required: [first, second] },
      dependentSchemas: {
        reason: { type: 'object', anyOf: fields.map((field) => ({ required: [field] })) },
      },
    });

/** Like `patchOf`, but requires `reason` together with this status. */
export const patchWithReasonTo = <Shape extends z.ZodRawShape>(
  status: string,
  shape: Shape,
  id: string,
) =>
  reasonedPatch(shape, withStatus)
    .refine((patch) => !isTo(status, patch) || ('reason' in patch && patch.reason !== undefined), {
      error: `is required with status ${status}. Say why`,
      path: ['reason'],
      params: { code: 'required' },
      when: ({ value }) => typeof value === 'object' && value !== null,
    })
    .meta({
      id,
      ...withStatusJson,
      if: { properties: { status: { const: status } }, required: ['status'] },
      then: { required: ['reason'] },
    });

const isTo = (status: string, patch: object): boolean =>
  'status' in patch && patch.status === status;

/** The requirements on a reason, and the issue if one is not met. */
interface ReasonRule {
  readonly isReasoned: (patch: object) => boolean;
  readonly error: string;
  readonly code: string;
}

const withStatus: ReasonRule = {
  isReasoned: (patch) => 'status' in patch && patch.status !== undefined,
  error: 'is accepted only together with status',
  code: 'without_status',
};
/** The same rule in JSON Schema. */
const withStatusJson = { minProperties: 1, dependentRequired: { reason: ['status'] } };

const reasonedPatch = <Shape extends z.ZodRawShape>(
  shape: Shape,
  { isReasoned, error, code }: ReasonRule,
) =>
  notEmpty(shape).refine(
    (patch) => !('reason' in patch && patch.reason !== undefined) || isReasoned(patch),
    {
      error,
      path: ['reason'],
      params: { code },
      when: ({ value }) => typeof value === 'object' && value !== null,
    },
  );

const notEmpty = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape).refine((patch) => Object.keys(patch).length > 0, {
    error: 'must change something',
    params: { code: 'empty' },
  });
