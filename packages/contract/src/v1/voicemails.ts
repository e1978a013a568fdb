export const voicemailOperations = {}
