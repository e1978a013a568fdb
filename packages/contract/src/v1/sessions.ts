export const sessionOperations = {}
