export const addressOperations = {}
