export const loginOperations = {}
