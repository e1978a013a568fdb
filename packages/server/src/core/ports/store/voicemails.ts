export interface Voicemails {
  /** A voicemail of a phone line or a group; gives its id. */
  create(accountId: string, wish: { owner: string; alias: string; at: number }): Promise<string>
}
