export const indexOperations = {}
