export interface Voicemail {
  id: string
  alias: string
  /** The phone line or group it belongs to. */
  owner: string
  /** Seconds of ringing before it answers. */
  timeout: number
  active: boolean
  transcription: boolean
}

export interface Greeting {
  id: number
  alias: string
  /** Of the greetings of a voicemail at most one. */
  active: boolean
  durationMs: number
}

export interface NewGreeting {
  alias: string
  /** A WAV file in base64. */
  audio: string
  durationMs: number
  active: boolean
  at: number
}

/** Voicemails that were deleted are not found by any of these. */
export interface Voicemails {
  /** A voicemail of a phone line or a group; gives its id. */
  create(accountId: string, input: { owner: string; alias: string; at: number }): Promise<string>
  listByOwner(accountId: string, owner: string): Promise<Voicemail[]>
  find(accountId: string, id: string): Promise<Voicemail | undefined>
  update(accountId: string, id: string, change: Partial<Pick<Voicemail, 'timeout' | 'active' | 'transcription'>>): Promise<void>
  /** With its greetings. */
  remove(accountId: string, id: string, at: number): Promise<void>
  /** In the order in which they were added. */
  greetings(accountId: string, voicemail: string): Promise<Greeting[]>
  findGreeting(accountId: string, voicemail: string, id: number): Promise<(Greeting & { audio: string }) | undefined>
  insertGreeting(accountId: string, voicemail: string, greeting: NewGreeting): Promise<number>
  /** This one is active from now on, and no other. */
  activateGreeting(accountId: string, voicemail: string, id: number): Promise<void>
  removeGreeting(accountId: string, voicemail: string, id: number): Promise<boolean>
}
