export const callOperations = {}
