/**
 * ESLint's `max-lines-per-function` for tests. A callback of `describe…` may be longer, since it is a
 * list of tests. Its lines do not count for the function around it either.
 */
export const maxLinesPerTestFunction = {
  meta: { type: 'suggestion', schema: [{ type: 'integer' }] },
  create(context) {
    const [max] = context.options;
    /** For each function that is being visited, the lines of the callbacks of `describe` in it. */
    const inCallbacks = [];
    const leave = (node) => {
      const lines = node.loc.end.line - node.loc.start.line + 1;
      const excluded = inCallbacks.pop();
      const isCallback = isDescribe(node.parent);
      if (inCallbacks.length > 0)
        inCallbacks[inCallbacks.length - 1] += isCallback ? lines : excluded;
      if (!isCallback && lines - excluded > max)
        context.report({
          node,
          message: `This function has ${lines - excluded} lines. Split it: the maximum is ${max}.`,
        });
    };
    const functions = 'FunctionDeclaration, FunctionExpression, ArrowFunctionExpression';
    return {
      [functions]: () => inCallbacks.push(0),
      [`:matches(${functions}):exit`]: leave,
    };
  },
};

/** Whether a node is a call such as `describe(…)`, `describe.each(…)(…)` or `describeOnServer(…)`. */
const isDescribe = (node) => node.type === 'CallExpression' && namesDescribe(node.callee);

const namesDescribe = (node) => {
  switch (node.type) {
    case 'CallExpression':
      return namesDescribe(node.callee);
    case 'MemberExpression':
      return namesDescribe(node.object);
    case 'ConditionalExpression':
      return namesDescribe(node.consequent) && namesDescribe(node.alternate);
    default:
      return node.type === 'Identifier' && node.name.startsWith('describe');
  }
};
