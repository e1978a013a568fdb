export const settingsOperations = {}
