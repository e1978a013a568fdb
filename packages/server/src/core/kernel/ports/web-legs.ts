import type { Leg } from './telephony.ts'

/** 16 bit, mono; 20 ms are 320 samples. */
export const webSampleRate = 16_000
export const webFrameSamples = 320

/** A caller in a browser or a program, over a connection that is not SIP: what it is told. */
export interface WebCaller {
  ringing(): void
  answered(): void
  held(value: boolean): void
  /** The next 20 ms of what they hear. The samples are only lent. */
  hears(samples: Int16Array): void
}

/** The far end of a leg, for the side that holds the connection. After the end of the leg nothing has an effect. */
export interface WebFarEnd {
  readonly leg: Leg
  /** The next 20 ms of what they say. Silence when nothing comes; what comes too fast is left out. */
  says(samples: Int16Array): void
  /** False when no assistant reads it. */
  types(text: string): boolean
  presses(digits: string): void
  hangsUp(): void
}

export interface WebLegRequest {
  /** Whether they have a microphone and a loudspeaker, or only write and read. */
  sound: boolean
  /** What is said takes no time. */
  fast: boolean
}

export interface WebLegs {
  openWebLeg(caller: WebCaller, options: WebLegRequest): WebFarEnd
}
