export const operatorTariffOperations = {}
