export const phonelineOperations = {}
