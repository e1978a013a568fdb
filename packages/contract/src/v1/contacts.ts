export const contactOperations = {}
