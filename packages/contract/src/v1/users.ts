export const userOperations = {}
