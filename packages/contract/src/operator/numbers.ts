export const operatorNumberOperations = {}
