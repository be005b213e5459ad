import { z } from 'zod';

/**
 * An example of each body, or of each of its lines. A test sends them all to a service: an id such
 * as `aff_00000000000000000000000001` stands for one that the service has assigned.
 */
export const bodyExamples = z.registry<{ readonly example: z.$input }>();
