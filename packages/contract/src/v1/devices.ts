export const deviceOperations = {}
