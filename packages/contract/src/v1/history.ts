export const historyV1Operations = {}
