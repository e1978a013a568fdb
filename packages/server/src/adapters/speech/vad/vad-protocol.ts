/** What a thread of ears is started with. */
export interface VadThreadSettings {
  detector: 'silero' | 'energy'
  /** The file of the model, for 'silero'. */
  model: string | undefined
}

/** From the main thread. */
export type VadCommand =
  /** `sound`: a ring of the media thread, `track`: a SoundTrack. */
  | { do: 'listen'; ear: number; sound: SharedArrayBuffer; track: SharedArrayBuffer; beeps: boolean }
  | { do: 'close'; ear: number }
  | { do: 'end' }

/** To the main thread. */
export type VadEvent =
  | { tell: 'noticed' | 'started' | 'stopped' | 'beep'; ear: number; at: number }
  /** The leg is over and all of it was heard. */
  | { tell: 'over'; ear: number }
  /** As wanted: nothing of it is read or written any more. */
  | { tell: 'closed'; ear: number }
