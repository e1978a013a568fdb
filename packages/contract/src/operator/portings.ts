export const operatorPortingOperations = {}
