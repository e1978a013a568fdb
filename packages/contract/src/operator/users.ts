export const operatorUserOperations = {}
