export const operatorGroupOperations = {}
