export const groupFaxlineOperations = {}
