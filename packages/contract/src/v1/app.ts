export const appOperations = {}
