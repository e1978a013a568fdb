export const notificationOperations = {}
