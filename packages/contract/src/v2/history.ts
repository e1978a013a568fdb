export const historyOperations = {}
