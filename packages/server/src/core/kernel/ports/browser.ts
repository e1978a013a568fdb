import type { Cause, Leg } from './telephony.ts'

/** Events of one call for a page. */
export interface PageCall {
  ringing(): void
  /** SDP answer to its offer. Early: not yet answered. */
  media(sdp: string, early: boolean): void
  answered(): void
  held(value: boolean): void
  /** WebRTC lost its connection: the call ends unless the page switches to carried audio within a few seconds. */
  lostWay(): void
  /** The leg moved to another call. */
  moved(callId: string): void
}

/** Audio quality measured by the page: see `quality` in the contract. */
export interface PageReport {
  lossPct: number
  rttMs?: number | undefined
  silentMs: number
}

export type DeclineCause = Extract<Cause, 'rejected' | 'busy' | 'do_not_disturb'>

export interface PageTransfer {
  trying(): void
  done(): void
  failed(cause: Cause): void
}

/** Far end of a leg, for the side that knows the page. After the end of the leg the methods have no effect. */
export interface BrowserFarEnd {
  readonly leg: Leg
  /** Allocates media resources before the answer, to avoid a delay. `near`: likely bridge peer. */
  prepare(near: Leg | undefined): Promise<void>
  /** The user is being alerted. */
  rings(): void
  accepts(offer: string): Promise<void>
  declines(cause: DeclineCause): void
  hangsUp(): void
  /** No page is left that could accept. */
  vanishes(): void
  presses(digits: string): void
  /** The page holds or resumes its peer. */
  holds(value: boolean): void
  transfers(to: { dialled: string } | { leg: Leg }, notified: PageTransfer): void
  reports(report: PageReport): void
  /**
   * WebRTC found no connection: audio is carried as samples from now on, 20 ms at a time, in reused buffers. Returns the sink for the
   * page's audio; a repeated call replaces `hears`.
   */
  carries(hears: (samples: Int16Array) => void): Promise<(samples: Int16Array) => void>
}

/** Legs to console pages with audio over WebRTC. */
export interface BrowserLegs {
  /** `offer`: SDP offer of a calling page. A called page sends one when it accepts. */
  openBrowserLeg(notified: PageCall, offer?: string): BrowserFarEnd
  /** Signals that a page is open and may start a call soon. */
  expectBrowsers(): void
}

/** 16 bit, mono; 20 ms are 320 samples. */
export const webSampleRate = 16_000
export const webFrameSamples = 320

/** Events for a caller in a browser or a program, connected without SIP. */
export interface WebCaller {
  ringing(): void
  answered(): void
  held(value: boolean): void
  /** Next 20 ms of audio for the caller. The buffer is reused after the call. */
  hears(samples: Int16Array): void
}

/** Far end of a leg, for the owner of the connection. After the end of the leg the methods have no effect. */
export interface WebFarEnd {
  readonly leg: Leg
  /** Next 20 ms of audio from the caller. Gaps are filled with silence; surplus frames are dropped. */
  says(samples: Int16Array): void
  /** False if no assistant reads text. */
  types(text: string): boolean
  presses(digits: string): void
  hangsUp(): void
}

export interface WebLegRequest {
  /** True with a microphone and a loudspeaker, false for text only. */
  sound: boolean
  /** Skips the playback time of speech. */
  fast: boolean
}

export interface WebLegs {
  openWebLeg(caller: WebCaller, options: WebLegRequest): WebFarEnd
}

/** Open console page that can ring, as shown to its user. */
export interface PageView {
  id: string
  since: number
  visible: boolean
  /** User agent. */
  program: string
}

/** Open browser phones of users. */
export interface PhonePages {
  /** Pages of all nodes. */
  views(accountId: string, deviceId: string): PageView[]
}
