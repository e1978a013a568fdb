export const faxlineOperations = {}
