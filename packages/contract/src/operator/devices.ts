export const operatorDeviceOperations = {}
