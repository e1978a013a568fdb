import type { Cause, Leg } from '../telephony.ts'

/** What a page is told about one call. */
export interface PageCall {
  ringing(): void
  /** The answer to its offer. Early: nobody has picked up yet. */
  media(sdp: string, early: boolean): void
  answered(): void
  held(value: boolean): void
  /** WebRTC has lost its way: unless the page lets its sound be carried in a few seconds, the call is over. */
  lostWay(): void
  /** It is another call of the switchboard from now on. */
  moved(callId: string): void
}

/** How a page hears the call: see `quality` in the contract. */
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

/** The far end of a leg, for the side that knows the page. After the end of the leg nothing has an effect. */
export interface BrowserFarEnd {
  readonly leg: Leg
  /** Opens what its sound needs, so that nothing has to be waited for when somebody accepts. `near`: the leg it will be bridged with. */
  prepare(near: Leg | undefined): Promise<void>
  /** Somebody can see and hear that it rings. */
  rings(): void
  accepts(offer: string): Promise<void>
  declines(cause: DeclineCause): void
  hangsUp(): void
  /** Nobody is there any more who could accept. */
  vanishes(): void
  presses(digits: string): void
  /** The page puts its peer on hold, or takes it back. */
  holds(value: boolean): void
  transfers(to: { dialled: string } | { leg: Leg }, notified: PageTransfer): void
  reports(report: PageReport): void
  /**
   * WebRTC found no way: the sound goes as samples from now on, 20 ms at a time, lent in both directions. Gives where those of the page go; said
   * again, it is the latest `hears` that counts.
   */
  carries(hears: (samples: Int16Array) => void): Promise<(samples: Int16Array) => void>
}

/** Legs to pages of the console, whose sound goes over WebRTC. */
export interface BrowserLegs {
  /** `offer`: that of a page that calls. Who is called makes one when they accept. */
  openBrowserLeg(notified: PageCall, offer?: string): BrowserFarEnd
  /** A page is there that may want to talk soon. */
  expectBrowsers(): void
}
