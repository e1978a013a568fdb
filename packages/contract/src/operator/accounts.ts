export const operatorAccountOperations = {}
