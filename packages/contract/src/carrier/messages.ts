export const carrierMessageOperations = {}
