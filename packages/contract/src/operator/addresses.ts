export const operatorAddressOperations = {}
