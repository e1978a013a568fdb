/** Which of the caller's signs of life count, as ConversationRelay writes it. */
const signs = ['none', 'dtmf', 'speech', 'any'] as const
export type Signs = (typeof signs)[number]

/** The attributes of `<ConversationRelay>` that matter here. */
export interface RelaySettings {
  welcomeGreeting?: string
  welcomeGreetingInterruptible: Signs
  interruptible: Signs
  /** What the server is told of while the assistant speaks and is not to be interrupted. */
  reportInputDuringAgentSpeech: Signs
  preemptible: boolean
  /** The server is told words while they are said; the flow must have `user_speak_partial` among its extended_events. */
  partialPrompts: boolean
  dtmfDetection: boolean
  /** Missing: the flow's. */
  ttsLanguage?: string
  transcriptionLanguage: string
  customParameters: Readonly<Record<string, string>>
}

/** Also as a boolean, which they were first. */
export const readSigns = (value: unknown, missing: Signs): Signs => {
  if (value === true || value === 'true') return 'any'
  if (value === false || value === 'false') return 'none'
  return signs.find((one) => one === value) ?? missing
}

/** Without TwiML nothing is set. */
export const plainRelay = (language: string): RelaySettings => ({
  welcomeGreetingInterruptible: 'any',
  interruptible: 'any',
  reportInputDuringAgentSpeech: 'none',
  preemptible: false,
  partialPrompts: true,
  dtmfDetection: true,
  transcriptionLanguage: language,
  customParameters: {},
})
