export const restrictionOperations = {}
