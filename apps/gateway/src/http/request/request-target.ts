/**
 * A request target without its origin. A client may also send scheme and host (absolute-form, RFC
 * 9112 §3.2.2).
 */
export const originForm = (target: string): string => {
  if (target.startsWith('/')) return target;
  const rest = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') || rest === '*' ? rest : `/${rest}`;
};

/**
 * Whether the percent escapes of a query are complete and decode to UTF-8. The router checks those
 * of the path.
 */
export const isDecodable = (target: string): boolean => {
  const query = target.indexOf('?');
  if (query === -1 || !target.includes('%', query)) return true;
  try {
    decodeURIComponent(target.slice(query));
    return true;
  } catch {
    return false;
  }
};
