export const authorizationOperations = {}
