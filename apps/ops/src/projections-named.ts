import { projections, type Projection } from '@refledger/projections';
import { UsageError } from './exit-codes.js';

/** The list of projections for help texts. */
export const projectionsHelp = `Projections: ${projections.map(({ name }) => name).join(', ')}`;

/** The projection of this name. Throws `UsageError` if there is none. */
export const projectionNamed = (name: string): Projection => {
  const projection = projections.find((known) => known.name === name);
  if (projection === undefined)
    throw new UsageError(
      `there is no projection ${JSON.stringify(name)}; there are: ${projections.map((known) => known.name).join(', ')}`,
    );
  return projection;
};
