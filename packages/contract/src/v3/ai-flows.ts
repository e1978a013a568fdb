export const flowOperations = {}
