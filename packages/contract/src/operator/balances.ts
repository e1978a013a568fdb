export const operatorBalanceOperations = {}
