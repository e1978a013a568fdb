export const passwordResetOperations = {}
