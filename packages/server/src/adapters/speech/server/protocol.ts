/**
 * Extensions between our call processes and our speech service. Other clients send none of them and get plain OpenAI answers; other servers
 * never get them.
 */

/** Id of the stream of one caller: streams take turns. Its presence marks our own client. */
export const callerHeader = 'offhook-caller'

/** Form fields of a transcription. */
export const fields = {
  /** Candidates, most likely first, separated by commas. */
  languages: 'offhook_languages',
  /** `glance`: only if nothing else has to wait. `patient`: no live caller. */
  urgency: 'offhook_urgency',
  /** The caller was asked for something particular. Likely answers, one per line. */
  expected: 'offhook_expected',
} as const

export type Urgency = 'glance' | 'patient'

/** `owned_by` of the models of our service. */
export const modelOwner = 'offhook'

/** Bus subject of announcements. */
export const aliveSubject = 'speech.alive'
export const announceIntervalMs = 1_000
/** A service that was silent for so long is gone, however its requests fare. */
export const silentAfterMs = 3_500

/** A running service, as it describes itself to the processes on its bus. */
export interface Announcement {
  /** One run of one process. */
  id: string
  /** Up to where /audio/speech follows. */
  url: string
  /** Valid for this run. The bus is sealed. */
  key: string
  /** PEM, if it speaks TLS with a certificate of its own. */
  certificate?: string
  /** Recogniser threads. */
  workers: number
  /** Requests at work or waiting. */
  running: number
  /** It takes no more requests. */
  leaving: boolean
}
