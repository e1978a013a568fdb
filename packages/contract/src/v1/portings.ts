export const portingOperations = {}
