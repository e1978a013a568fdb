export const numberOperations = {}
