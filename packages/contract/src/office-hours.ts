/** Routing actions of a rule. */
export const routingActions = ['RING', 'FLOW', 'VOICEMAIL', 'FORWARD', 'ANNOUNCE', 'REFUSE'] as const

/** Source of the open/closed verdict: the switch for the day, a special day or the week. */
export const verdictReasons = ['OVERRIDE', 'DAY', 'WEEK'] as const
