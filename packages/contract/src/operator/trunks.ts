export const operatorTrunkOperations = {}
