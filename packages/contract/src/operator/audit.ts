export const operatorAuditOperations = {}
