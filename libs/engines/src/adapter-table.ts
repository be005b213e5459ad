import { schemeOf, shownUrl } from './engine-url.js';

/** The adapters of a port by URL scheme. Each is imported only when it is opened. */
export type AdapterTable<Options, Port> = Readonly<
  Record<string, (url: string, options: Options) => Promise<Port>>
>;

/** Opens the adapter for a URL. Rejects with `TypeError` when the table has none for its scheme. */
export const openByScheme = async <Options, Port>(
  adapters: AdapterTable<Options, Port>,
  url: string,
  options: Options,
): Promise<Port> => {
  const open = adapters[schemeOf(url) ?? ''];
  if (open === undefined)
    throw new TypeError(
      `There is no adapter for ${shownUrl(url)}. Use one of ${Object.keys(adapters).join(', ')}.`,
    );
  return open(url, options);
};
