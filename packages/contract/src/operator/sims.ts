export const operatorSimOperations = {}
