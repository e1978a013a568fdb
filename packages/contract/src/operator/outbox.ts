export const operatorOutboxOperations = {}
