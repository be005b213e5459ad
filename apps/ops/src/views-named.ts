import { views, type View } from '@refledger/views';
import { Misuse } from './exit-codes.js';

/** For help texts. */
export const viewsHelp = `Views: ${views.map(({ name }) => name).join(', ')}`;

/** The view of this name. Throws `Misuse`. */
export const viewNamed = (name: string): View => {
  const view = views.find((known) => known.name === name);
  if (view === undefined)
    throw new Misuse(
      `there is no view ${JSON.stringify(name)}; there are: ${views.map((known) => known.name).join(', ')}`,
    );
  return view;
};
