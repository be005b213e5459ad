import { z } from 'zod';

/**
 * Returns the schema of a patch: it needs at least one field, and accepts `reason` only together
 * with `status`.
 */
export const patchOf = <Shape extends z.ZodRawShape>(shape: Shape, id: string) =>
  z
    .strictObject(shape)
    .refine((patch) => Object.keys(patch).length > 0, {
      error: 'must change something',
      params: { code: 'empty' },
    })
    .refine(
      (patch) =>
        !('reason' in patch && patch.reason !== undefined) ||
        ('status' in patch && patch.status !== undefined),
      {
        error: 'is accepted only together with status',
        path: ['reason'],
        params: { code: 'without_status' },
        when: ({ value }) => typeof value === 'object' && value !== null,
      },
    )
    .meta({ id, minProperties: 1, dependentRequired: { reason: ['status'] } });
