export const translationOperations = {}
