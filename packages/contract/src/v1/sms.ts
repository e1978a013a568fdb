export const smsOperations = {}
