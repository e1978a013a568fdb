/** What becomes of a call by a rule. */
export const routingActions = ['RING', 'FLOW', 'VOICEMAIL', 'FORWARD', 'ANNOUNCE', 'REFUSE'] as const

/** What decided whether it is open: the switch for the day, a special day or the week. */
export const verdictReasons = ['OVERRIDE', 'DAY', 'WEEK'] as const
