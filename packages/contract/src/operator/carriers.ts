export const operatorCarrierOperations = {}
