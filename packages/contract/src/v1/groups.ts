export const groupOperations = {}
