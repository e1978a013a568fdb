export const operatorSessionOperations = {}
